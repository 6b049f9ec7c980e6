import type { Tx, WriteTx } from '../../../../platform/database/tx';
import type { PaymentEmail, PaymentEmailKind } from './payment-email';

export abstract class PaymentEmailsRepository {
  abstract find(
    accountId: string,
    paymentRequestId: string,
    kind: PaymentEmailKind,
  ): Promise<PaymentEmail | null>;
  abstract lock(
    tx: Tx,
    accountId: string,
    paymentRequestId: string,
    kind: PaymentEmailKind,
  ): Promise<PaymentEmail | null>;
  abstract add(tx: WriteTx, email: PaymentEmail): void;
  /** Makes an email due that was sent before, or is waiting. */
  abstract repeat(tx: WriteTx, email: PaymentEmail): void;
  /** Finds payment requests with due emails, the earliest first, without the excluded requests. */
  abstract findDue(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<{ accountId: string; id: string }[]>;
  /** Locks the due emails of payment requests and clears their due time. @returns what was due */
  abstract claimDue(
    tx: Tx,
    accountId: string,
    paymentRequestIds: readonly string[],
    now: Date,
  ): Promise<Pick<PaymentEmail, 'paymentRequestId' | 'kind' | 'traceparent' | 'sentAt'>[]>;
  abstract markSent(
    tx: WriteTx,
    accountId: string,
    paymentRequestId: string,
    kind: PaymentEmailKind,
    now: Date,
  ): void;
}
