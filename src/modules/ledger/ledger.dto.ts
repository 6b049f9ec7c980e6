import { isId, numberedId, numberOfId } from '../../kernel/ids';
import { MAX_MINOR_UNITS } from '../../kernel/money';
import { DateParam, FormatParam, IntegerParam, ListFormat } from '../../platform/http/list-query';
import { EnumField, field } from '../../platform/http/request-fields';
import {
  AmountResponseField,
  CurrencyResponseField,
  CursorListResponse,
  exampleId,
  IdResponseField,
  idSchema,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../platform/http/response-fields';
import { Account } from '../accounts';
import { DescribedEntry, Leg, legs } from './entry';

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
    description: 'The part of `posted` that is held for pending refunds and transfers. Absent with `as_of`.',
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
    description: 'Payments, credits and transfers that have not settled. Absent with `as_of`.',
  })
  pending_in?: number;

  @Timestamp('The time of the response, or that of the query.') as_of: string;
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

nameEnum('Leg', legs);

const NUMBER = /^[1-9]\d{0,14}$/;

const EntryCursor = (description: string) =>
  field(
    {
      expected: 'the id or the number of an entry of this list',
      isValid: (value) => typeof value === 'string' && (NUMBER.test(value) || isId('ent', value)),
      schema: { type: 'string', pattern: `${NUMBER.source}|${idSchema('ent').pattern}` },
    },
    { optional: true, description },
  );

/** The number of the entry that a cursor names. */
export function parseEntryCursor(cursor: string | undefined): string | undefined {
  return cursor !== undefined && isId('ent', cursor) ? String(numberOfId(cursor)) : cursor;
}

const signedAmount = {
  type: 'integer',
  format: 'int64',
  minimum: -MAX_MINOR_UNITS,
  maximum: MAX_MINOR_UNITS,
} as const;

export class ListEntriesQuery {
  @IntegerParam(20, 100, 'The maximum number of entries on the page.') limit: number = 20;
  @EntryCursor('Returns entries older than the one with this id or number.') starting_after?: string;

  @EntryCursor('Returns the nearest entries that are newer than the one with this id or number.')
  ending_before?: string;

  @DateParam('first', 'Only entries posted at this time or later.') date_from?: Date;
  @DateParam('last', 'Only entries posted at this time or earlier.') date_to?: Date;

  @EnumField(['both'], {
    optional: true,
    description: 'Returns both entries of each posting; by default only that of the account itself.',
  })
  legs?: 'both';

  @FormatParam() format?: ListFormat;
}

export class EntryResponse {
  @IdResponseField('ent') id: string;

  @ResponseField({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    example: 7,
    description: 'Counts the entries of the account, both legs, from 1 without gaps.',
  })
  number: number;

  @ResponseField({
    example: exampleId('txn'),
    description:
      'What was posted: a transaction, an adjustment, or a resource of an extension that moves money.',
  })
  transaction_id: string;

  @ResponseField({
    enum: legs,
    description:
      'The side of the posting: the account, or the clearing account, which stands for the outside world.',
  })
  leg: Leg;

  @ResponseField({
    ...signedAmount,
    example: 1250,
    description:
      'Minor units. The two entries of a posting sum to zero; money that leaves the account is negative.',
  })
  amount: number;

  @CurrencyResponseField() currency: string;

  @ResponseField({
    ...signedAmount,
    example: 5000,
    description: 'The balance of the leg after this entry, in minor units.',
  })
  balance: number;

  @Timestamp() posted_at: string;

  @ResponseField({
    nullable: true,
    example: 'payment',
    description:
      'The type of the transaction (`payment`, `credit` or `refund`), `transfer`, `adjustment`, or what an extension calls its postings; null if it does not say.',
  })
  type: string | null;

  @ResponseField({
    nullable: true,
    example: 'invoice-2041',
    description: 'The reference with which the transaction was created, also if it was changed later.',
  })
  reference: string | null;

  @ResponseField({
    nullable: true,
    example: 'Harbour Cycles Ltd',
    description:
      'The other account of a transfer, by its name at the time; null for several, and for other types.',
  })
  counterparty: string | null;
}

export class EntriesResponse extends CursorListResponse(EntryResponse) {}

export function entryResponse(entry: DescribedEntry): EntryResponse {
  const { accountId, number, transactionId, leg, amount, currency, balance, postedAt } = entry;
  const { type, reference, counterparty } = entry;
  return {
    id: numberedId('ent', postedAt, accountId, number),
    number,
    transaction_id: transactionId,
    leg,
    amount,
    currency,
    balance,
    posted_at: postedAt.toISOString(),
    type,
    reference,
    counterparty,
  };
}
