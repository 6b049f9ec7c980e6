import type { Tx } from '../../../platform/database/tx';
import type { Account } from '../../accounts';
import type { PaymentContext } from './payment-context';
import type { PaymentRequest } from './payment-request';

/** Access to payment requests for other modules. */
export abstract class PaymentRequestStore {
  /** @param accountId null for that of any account */
  abstract find(accountId: string | null, id: string): Promise<PaymentContext | null>;

  /** @param secret the last segment of a payment URL; any text */
  abstract findBySecret(secret: string): Promise<PaymentContext | null>;

  /** Adds a new request of an account that `tx` has locked. */
  abstract add(tx: Tx, context: PaymentContext, now: Date): void;

  /**
   * Locks the account and then the request until `tx` ends, passes both to `work`, saves them, and notifies the
   * listeners when the request has ended.
   * @returns the result of `work`
   * @throws DomainError `not_found`
   */
  abstract update<T>(
    tx: Tx,
    accountId: string,
    id: string,
    now: Date,
    work: (context: PaymentContext) => Promise<T> | T,
  ): Promise<T>;

  /** Cancels those requests of the locked payee that have expired. */
  abstract expire(tx: Tx, payee: Account, ids: readonly string[], now: Date): Promise<void>;

  /** Cancels locked requests of a locked payee that is being closed. The listeners are not notified. */
  abstract cancel(tx: Tx, requests: readonly PaymentRequest[], now: Date): void;
}
