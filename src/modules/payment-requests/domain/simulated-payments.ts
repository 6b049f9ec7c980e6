import type { Tx } from '../../../platform/database/tx';
import type { PaymentContext } from './payment-context';
import type { ReadonlyPaymentRequest } from './payment-request';

/** `declined`: one attempt to pay is declined. The fifth one fails the payment request. */
export const simulatedOutcomes = ['succeeded', 'failed', 'declined'] as const;
export type SimulatedOutcome = (typeof simulatedOutcomes)[number];

/** Pays or fails the payment requests whose outcome a test has scripted, in their metadata or by a call. */
export abstract class SimulatedPayments {
  /**
   * Does to a request what its customer would do. Only in test mode.
   * @throws DomainError `not_found`; `conflict` unless the request is pending; `forbidden` when the account takes no
   * payments; `invalid_request` above its largest balance
   */
  abstract simulate(id: string, outcome: SimulatedOutcome): Promise<ReadonlyPaymentRequest>;

  /**
   * Does to a locked pending request what its customer would do.
   * @throws DomainError `forbidden` when the account takes no payments; `invalid_request` above its largest balance
   */
  abstract apply(tx: Tx, context: PaymentContext, outcome: SimulatedOutcome, now: Date): Promise<void>;
}
