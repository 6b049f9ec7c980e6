import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Tx } from '../../../platform/database/tx';
import { LatePayment, LateReason } from './late-payment';
import { LatePaymentStatus } from './late-payment.lifecycle';

export interface LatePaymentFilter {
  readonly accountId?: string;
  readonly status?: LatePaymentStatus;
  readonly reason?: LateReason;
}

export abstract class LatePaymentsRepository {
  abstract find(id: string): Promise<LatePayment | null>;
  abstract list(filter: LatePaymentFilter, request: CursorRequest): Promise<CursorPage<LatePayment>>;
  abstract lock(tx: Tx, accountId: string, id: string): Promise<LatePayment | null>;
  /** By the provider's name of the payment. Only while the account is locked. */
  abstract findByReference(tx: Tx, accountId: string, reference: string): Promise<LatePayment | null>;
  abstract areThereFor(accountId: string, paymentRequestId: string): Promise<boolean>;
  abstract add(tx: Tx, payment: LatePayment): void;
  abstract save(tx: Tx, payment: LatePayment): void;
  /** What is due to be sent back, at most `limit`, those that wait longest first. */
  abstract due(now: Date, limit: number): Promise<LatePayment[]>;
}
