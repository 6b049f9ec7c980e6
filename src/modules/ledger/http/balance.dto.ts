import { DateParam } from '../../../platform/http/list-query';
import {
  Timestamp,
  AmountResponseField,
  CurrencyResponseField,
  IdResponseField,
} from '../../../platform/http/response-fields';
import { Account } from '../../accounts';

export class BalanceQuery {
  @DateParam(
    'last',
    'Returns the posted balance at this time. A date without a time means the end of that UTC day.',
  )
  as_of?: Date;
}

export class BalanceResponse {
  @IdResponseField('acc') account_id: string;
  @CurrencyResponseField() currency: string;

  @AmountResponseField({ minimum: 0, example: 5000, description: 'Settled money, in minor units.' })
  posted: number;

  @AmountResponseField({
    minimum: 0,
    required: false,
    example: 1250,
    description: 'The part of `posted` that is held for pending refunds. Absent with `as_of`.',
  })
  held?: number;

  @AmountResponseField({
    minimum: 0,
    required: false,
    example: 3750,
    description: '`posted` minus `held`. Absent with `as_of`.',
  })
  available?: number;

  @AmountResponseField({
    minimum: 0,
    required: false,
    example: 800,
    description: 'Payments and credits that have not settled. Absent with `as_of`.',
  })
  pending_in?: number;

  @Timestamp('The time of the balance.') as_of: string;
}

export function balanceResponse(account: Account, at: Date): BalanceResponse {
  const { id, currency, posted, held, available, pendingIn } = account;
  return {
    account_id: id,
    currency,
    posted,
    held,
    available,
    pending_in: pendingIn,
    as_of: at.toISOString(),
  };
}

export function pastBalanceResponse({ id, currency }: Account, posted: number, at: Date): BalanceResponse {
  return { account_id: id, currency, posted, as_of: at.toISOString() };
}
