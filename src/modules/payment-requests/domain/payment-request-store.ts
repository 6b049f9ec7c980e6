import type { Tx } from '../../../platform/database/tx';
import type { PaymentContext } from './payment-context';

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

  /** Saves a request that was pending and locked, and notifies the listeners if it has ended. */
  abstract save(tx: Tx, context: PaymentContext, now: Date): void;
}
