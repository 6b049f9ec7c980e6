import { Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { Refusal } from '../../../kernel/refusal';
import { Tx } from '../../../platform/database/tx';
import { LatePayments } from '../../late-payments';
import { ProviderEvent, ProviderEventsRepository } from '../../providers';
import { ProviderRefunds } from '../../transactions';
import { HostedCheckout } from './hosted-checkout.service';

/** What a provider sends by itself: noted and carried out in one database transaction, so that it counts once. */
@Injectable()
export class ProviderReports {
  constructor(
    private readonly events: ProviderEventsRepository,
    private readonly checkouts: HostedCheckout,
    private readonly refunds: ProviderRefunds,
    private readonly latePayments: LatePayments,
  ) {}

  /** @throws Refusal `unavailable` when it cannot be carried out now: the provider sends it again */
  async take({ id, about }: ProviderEvent): Promise<void> {
    if (about === null) return;
    try {
      await this.checkouts.carryOut(async (tx, now, postable) => {
        if (await this.events.claim(tx, id, now)) await this.carryOut(tx, about, now, postable);
      });
    } catch (error) {
      // For example a rule of the operator's against settling a refund now.
      if (error instanceof Refusal) throw new Refusal('unavailable', error.message);
      throw error;
    }
  }

  private async carryOut(
    tx: Tx,
    about: NonNullable<ProviderEvent['about']>,
    now: Date,
    postable: boolean,
  ): Promise<void> {
    const { accountId } = about;
    if (about.kind === 'checkout') {
      await this.checkouts.take(tx, accountId, about.paymentRequestId, about.report, now, postable);
    } else if (isId('late', about.id)) {
      await this.latePayments.take(tx, accountId, about.id, about.report, now);
    } else {
      await this.refunds.take(tx, accountId, about.id, about.report, now);
    }
  }
}
