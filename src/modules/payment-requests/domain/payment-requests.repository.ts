import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Tx } from '../../../platform/database/tx';
import { MailKind, PaymentRequest } from './payment-request';
import { PaymentRequestStatus } from './payment-request.lifecycle';

export interface PaymentRequestFilter {
  readonly accountId?: string;
  readonly status?: PaymentRequestStatus;
  readonly customerEmail?: string;
  readonly reference?: string;
  /** The last characters of the id. */
  readonly idEnd?: string;
  /** Inclusive bounds of the creation. */
  readonly from?: Date;
  readonly to?: Date;
}

export abstract class PaymentRequestsRepository {
  /** Within one account, or (accountId null) in any. */
  abstract find(id: string, accountId: string | null): Promise<PaymentRequest | null>;
  /** By the last part of its payment URL. */
  abstract findBySecret(secret: string): Promise<PaymentRequest | null>;
  abstract list(filter: PaymentRequestFilter, request: CursorRequest): Promise<CursorPage<PaymentRequest>>;
  abstract lock(tx: Tx, accountId: string, id: string): Promise<PaymentRequest | null>;
  abstract add(tx: Tx, request: PaymentRequest): void;
  abstract save(tx: Tx, request: PaymentRequest): void;
  /** Cancels all that the lifecycle lets be canceled under an account, in one statement. */
  abstract cancelPending(tx: Tx, accountId: string, now: Date): void;
  /** Locks what has expired under an account, at most `limit` of it, but what somebody else is at work on. */
  abstract lockExpired(tx: Tx, accountId: string, now: Date, limit: number): Promise<PaymentRequest[]>;
  /**
   * Takes out the request whose checkout has been to be asked after for longest. Nobody else takes it out again before
   * `until`, which is also when it is due again if asking fails.
   */
  abstract takeCheckout(now: Date, until: Date): Promise<PaymentRequest | null>;
  /** Accounts in which something has expired, those that wait longest first. */
  abstract accountsWithExpired(now: Date, limit: number): Promise<string[]>;
  /** Locks what mail is due about under an account, at most `limit` of it, but what somebody else is at work on. */
  abstract lockMailDue(tx: Tx, accountId: string, now: Date, limit: number): Promise<PaymentRequest[]>;
  /** Accounts in which mail is due, those that wait longest first. */
  abstract accountsWithMailDue(now: Date, limit: number): Promise<string[]>;
  /** Notes that a mail has gone out, whatever became of the request meanwhile. */
  abstract noteMailed(tx: Tx, accountId: string, id: string, kind: MailKind, now: Date): void;
}
