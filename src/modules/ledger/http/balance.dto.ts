import { exampleId, Moment, Shown } from '../../../platform/http/fields';
import { DateBound } from '../../../platform/http/query-fields';
import { Account } from '../../accounts';
import { available } from '../domain/balance';

export class BalanceQuery {
  @DateBound(
    'last',
    'Answers the posted balance as it was then; a bare date stands for the end of that UTC day.',
  )
  as_of?: Date;
}

export class BalanceAnswer {
  @Shown({ type: 'string', example: exampleId('acc') })
  account_id: string;

  @Shown({ type: 'string', example: 'USD' })
  currency: string;

  @Shown({ type: 'integer', example: 5000, description: 'What has been settled, in minor units.' })
  posted: number;

  @Shown({
    type: 'integer',
    required: false,
    example: 1250,
    description: 'What of it is promised to pending refunds. Not with `as_of`.',
  })
  held?: number;

  @Shown({
    type: 'integer',
    required: false,
    example: 3750,
    description: 'Posted less held. Not with `as_of`.',
  })
  available?: number;

  @Shown({
    type: 'integer',
    required: false,
    example: 800,
    description: 'Payments and credits not settled yet. Not with `as_of`.',
  })
  pending_in?: number;

  @Moment('The moment that the answer is about.')
  as_of: string;
}

export function balanceAnswer(account: Account, at: Date): BalanceAnswer {
  const { id, currency, posted, held, pendingIn } = account;
  return {
    account_id: id,
    currency,
    posted,
    held,
    available: available(account),
    pending_in: pendingIn,
    as_of: at.toISOString(),
  };
}

export function pastBalanceAnswer({ id, currency }: Account, posted: number, at: Date): BalanceAnswer {
  return { account_id: id, currency, posted, as_of: at.toISOString() };
}
