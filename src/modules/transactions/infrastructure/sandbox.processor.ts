import { SECOND_MS } from '../../../kernel/clock';
import { Refusal } from '../../../kernel/refusal';
import { Birth, Outcome } from '../domain/birth';
import { NewMovement, Processor } from '../domain/processor';

const scripts = ['succeeded', 'failed', 'pending'] as const;

/**
 * Moves no real money. A payment settles by itself after a delay, a credit and a refund at once;
 * `metadata.sandbox_outcome` scripts another end, and `pending` never ends by itself.
 */
export class SandboxProcessor extends Processor {
  readonly kind = 'sandbox';

  constructor(private readonly settlementDelaySeconds: number) {
    super();
  }

  begin({ type, metadata }: NewMovement, at: Date): Birth {
    const script = scriptOf(metadata['sandbox_outcome']);
    if (script === 'pending') return { status: 'pending', end: null };
    return type === 'payment' ? this.later(script, at) : { status: script };
  }

  private later(outcome: Outcome, at: Date): Birth {
    const settlesAt = new Date(at.getTime() + this.settlementDelaySeconds * SECOND_MS);
    return { status: 'pending', end: { settlesAt, outcome } };
  }
}

function scriptOf(value: unknown): (typeof scripts)[number] {
  if (value === undefined) return 'succeeded';
  const script = scripts.find((known) => known === value);
  if (script === undefined) {
    throw new Refusal('invalid_request', `metadata.sandbox_outcome must be one of ${scripts.join(', ')}.`);
  }
  return script;
}
