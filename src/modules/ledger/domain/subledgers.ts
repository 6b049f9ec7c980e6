import { ExtensionPoint } from '../../../kernel/extension-point';
import type { SubledgerTable } from './ledger';

/** What a posting moved, according to the journal or to a subledger. */
export interface PostedAmount {
  readonly accountId: string;
  readonly transactionId: string;
  /** Minor units: above zero came in, below zero went out. */
  readonly amount: number;
  readonly currency: string;
}

/** A row of a subledger whose amount is held or posted. */
export interface SubledgerAmount extends PostedAmount {
  readonly isPosted: boolean;
}

/** The tables whose amounts must explain every posting and every held amount. */
export class Subledgers extends ExtensionPoint<SubledgerTable & { readonly name: string }> {
  constructor() {
    super('Subledgers');
  }
}
