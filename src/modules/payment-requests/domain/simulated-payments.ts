import type { ReadonlyPaymentRequest } from './payment-request';

/** `declined`: one attempt to pay is declined. The fifth one fails the payment request. */
export const simulatedOutcomes = ['succeeded', 'failed', 'declined'] as const;
export type SimulatedOutcome = (typeof simulatedOutcomes)[number];

/** What a visitor of the payment page chooses in the sandbox. */
export interface SandboxChoice {
  readonly outcome: Extract<SimulatedOutcome, 'succeeded' | 'declined'>;
  /** The number of declined attempts that the page showed, so that a decline submitted twice counts once. */
  readonly declinesSeen: number;
}

/** Pays or fails payment requests where no real money moves: as a test has scripted, or as a visitor chooses. */
export abstract class SimulatedPayments {
  /**
   * Does to a request what its customer would do. Only in test mode.
   * @throws DomainError `not_found`; `conflict` unless the request is pending; `forbidden` when the account takes no
   * payments; `invalid_request` above its largest balance
   */
  abstract simulate(id: string, outcome: SimulatedOutcome): Promise<ReadonlyPaymentRequest>;

  /**
   * Pays the request or declines an attempt, where the processor only simulates payments. Has no effect on a request
   * that has ended.
   * @throws DomainError `forbidden` when the account takes no payments; `invalid_request` above its largest balance; any
   * code from a hook
   */
  abstract choose(request: ReadonlyPaymentRequest, choice: SandboxChoice): Promise<void>;
}
