import { Injectable } from '@nestjs/common';
import { Tx } from '../../../../platform/database/tx';
import { EventRecorder } from '../../../../platform/events/event-recorder';
import { ReadonlyUnappliedPayment } from '../domain/unapplied-payment';
import { UnappliedPaymentsRepository } from '../domain/unapplied-payments.repository';

/** Saves unapplied payments and records their events, which only operators see, like the payments themselves. */
@Injectable()
export class UnappliedPaymentChanges {
  constructor(
    private readonly repository: UnappliedPaymentsRepository,
    private readonly events: EventRecorder,
  ) {}

  add(tx: Tx, payment: ReadonlyUnappliedPayment): void {
    this.events.record(tx, 'unapplied_payment.created', payment, null);
    this.repository.add(tx, payment);
  }

  /** Changes a locked payment. The time of the last change tells whether the API shows the change. */
  change(tx: Tx, payment: ReadonlyUnappliedPayment, change: () => void): void {
    const { status, updatedAt } = payment;
    change();
    const action = payment.status === status || payment.status === 'received' ? 'updated' : payment.status;
    if (payment.updatedAt > updatedAt) this.events.record(tx, `unapplied_payment.${action}`, payment, null);
    this.repository.save(tx, payment);
  }
}
