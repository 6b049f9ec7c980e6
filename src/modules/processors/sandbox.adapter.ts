import { SECOND_MS } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import type { Metadata } from '../../kernel/metadata';
import type { InitialState, NewTransactionFacts, Outcome, ScheduledEnd } from './payment-processor';
import { outcomes, PaymentProcessor } from './payment-processor';

const scriptedOutcomes = [...outcomes, 'pending'] as const;

/**
 * Moves no real money. A payment settles by itself after a delay, a credit and a refund at once.
 * `metadata.sandbox_outcome` scripts another outcome; with `pending` the transaction does not end by itself.
 */
export class SandboxProcessor extends PaymentProcessor {
  readonly name = 'sandbox';
  readonly testMode = true;
  readonly paymentMethod = 'simulation';

  constructor(private readonly settlementDelaySeconds: number) {
    super();
  }

  initialState({ type, metadata }: NewTransactionFacts, at: Date): InitialState {
    const outcome = scriptedOutcome(metadata['sandbox_outcome']);
    if (outcome === 'pending') return { status: 'pending', endedBy: { by: 'operator' } };
    if (type !== 'payment') return { status: outcome };
    return { status: 'pending', endedBy: { by: 'schedule', ...this.afterDelay(outcome, at) } };
  }

  /** Without a scripted outcome the customer decides, on the payment page. */
  override simulatedPayment(metadata: Metadata, at: Date): ScheduledEnd | null {
    const outcome = scriptedOutcome(metadata['sandbox_outcome'] ?? 'pending');
    return outcome === 'pending' ? null : this.afterDelay(outcome, at);
  }

  private afterDelay(outcome: Outcome, at: Date): ScheduledEnd {
    return { settlesAt: new Date(at.getTime() + this.settlementDelaySeconds * SECOND_MS), outcome };
  }
}

function scriptedOutcome(value: unknown): (typeof scriptedOutcomes)[number] {
  if (value === undefined) return 'succeeded';
  const outcome = scriptedOutcomes.find((known) => known === value);
  if (outcome === undefined) {
    throw new DomainError(
      'invalid_request',
      `metadata.sandbox_outcome must be one of ${scriptedOutcomes.join(', ')}.`,
    );
  }
  return outcome;
}
