import type { Account } from '../../accounts';
import type { ReadonlyPaymentRequest } from './payment-request';

/** A payment request and the account that receives the payment. */
export interface PaymentContext {
  readonly request: ReadonlyPaymentRequest;
  readonly payee: Account;
}
