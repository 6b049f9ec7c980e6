import { ResponseField, Timestamp, exampleId } from '../../../platform/http/response-fields';
import { DateParam } from '../../../platform/http/list-query';
import { Account } from '../../accounts';

export class BalanceQuery {
  @DateParam(
    'last',
    'Returns the posted balance at this time. A date without a time means the end of that UTC day.',
  )
  as_of?: Date;
}

export class BalanceResponse {
  @ResponseField({ type: 'string', example: exampleId('acc') })
  account_id: string;

  @ResponseField({ type: 'string', example: 'USD' })
  currency: string;

  @ResponseField({ type: 'integer', example: 5000, description: 'Settled money, in minor units.' })
  posted: number;

  @ResponseField({
    type: 'integer',
    required: false,
    example: 1250,
    description: 'The part of `posted` that is held for pending refunds. Absent with `as_of`.',
  })
  held?: number;

  @ResponseField({
    type: 'integer',
    required: false,
    example: 3750,
    description: '`posted` minus `held`. Absent with `as_of`.',
  })
  available?: number;

  @ResponseField({
    type: 'integer',
    required: false,
    example: 800,
    description: 'Payments and credits that have not settled. Absent with `as_of`.',
  })
  pending_in?: number;

  @Timestamp('The time of the balance.')
  as_of: string;
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
