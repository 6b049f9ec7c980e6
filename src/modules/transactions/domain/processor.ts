import { Metadata } from '../../../kernel/metadata';
import { TransactionType } from './transaction';

/** How a transaction comes into the world. */
export type Birth =
  | { readonly status: 'succeeded' | 'failed' }
  /** `settlesAt`: when it ends by itself, and `outcome` how; null when somebody reports the outcome. */
  | {
      readonly status: 'pending';
      readonly end: { readonly settlesAt: Date; readonly outcome: Outcome } | null;
    };

export const outcomes = ['succeeded', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

export interface NewMovement {
  readonly type: TransactionType;
  readonly metadata: Metadata;
  /** Whether an admin or a platform system records it. */
  readonly byOperator: boolean;
}

/** The port to whatever really moves the money: chosen by PROCESSOR, one for the whole installation. */
export abstract class Processor {
  /** Play money and real money are never mixed in one database. */
  abstract readonly kind: 'sandbox' | 'live';

  /** Decides what becomes of a new transaction. @throws Refusal `invalid_request` */
  abstract begin(movement: NewMovement, at: Date): Birth;
}
