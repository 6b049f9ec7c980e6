import { Metadata } from '../../../kernel/metadata';
import { Birth } from './birth';
import { TransactionType } from './transaction';

export interface NewMovement {
  readonly type: TransactionType;
  readonly metadata: Metadata;
  /** Whether an admin or a platform system records it. */
  readonly byOperator: boolean;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The provider's name of the payment that a refund pays back; null where no provider took it. */
  readonly providerPayment: string | null;
}

/** The port to whatever really moves the money: chosen by PROCESSOR, one for the whole installation. */
export abstract class Processor {
  /** Play money and real money are never mixed in one database. */
  abstract readonly kind: 'sandbox' | 'live';

  /** Decides what becomes of a new transaction. @throws Refusal `invalid_request` */
  abstract begin(movement: NewMovement, at: Date): Birth;
}
