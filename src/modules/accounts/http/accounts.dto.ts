import { isTimeZone } from 'class-validator';
import { PageRequest } from '../../../kernel/pages';
import {
  Currency,
  Email,
  exampleId,
  field,
  Moment,
  OneOf,
  Secret,
  Shown,
  Text,
} from '../../../platform/http/fields';
import { DateBound, QueryInteger } from '../../../platform/http/query-fields';
import { Nested } from '../../../platform/http/request.pipe';
import { Account, AccountSettings, AccountType, accountTypes } from '../domain/account';
import {
  accountLifecycle,
  AccountStatus,
  SettableStatus,
  settableStatuses,
} from '../domain/account.lifecycle';

const MAX_TIMEZONE_CHARACTERS = 64;
const MAX_LANGUAGE_CHARACTERS = 64;

const Timezone = () =>
  field(
    'timezone',
    'an IANA time zone',
    isZone,
    { type: 'string', example: 'Europe/Berlin' },
    { optional: true },
  );

const Language = () =>
  field(
    'language',
    'a BCP 47 language tag',
    isLanguage,
    { type: 'string', example: 'de-DE' },
    { optional: true },
  );

/** Offsets such as `+02:00` are taken for zones by the runtime, but have no rules for summer time. */
function isZone(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= MAX_TIMEZONE_CHARACTERS &&
    /^[a-z]/i.test(value) &&
    isTimeZone(value)
  );
}

function isLanguage(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_LANGUAGE_CHARACTERS) return false;
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false; // a RangeError is how Intl says no
  }
}

class SettingsRequest implements Partial<AccountSettings> {
  @Currency({ optional: true })
  currency?: string;

  @Timezone()
  timezone?: string;

  @Language()
  language?: string;
}

export class CreateAccountRequest {
  @Email()
  email: string;

  @Text(1, 255, 'Lovelace Ltd')
  name: string;

  @OneOf(accountTypes)
  type: AccountType;

  @Secret('8 characters to 72 bytes of UTF-8, none of the most common, not the email.')
  password: string;

  @Nested(SettingsRequest)
  settings?: SettingsRequest;
}

export class UpdateOwnAccountRequest {
  @Text(1, 255, 'Lovelace & King Ltd', { optional: true })
  name?: string;

  @Email({ optional: true })
  email?: string;

  @Nested(SettingsRequest)
  settings?: SettingsRequest;
}

export class UpdateAccountRequest extends UpdateOwnAccountRequest {
  @OneOf(settableStatuses, { optional: true })
  status?: SettableStatus;
}

export class ListAccountsQuery {
  @QueryInteger(1, 999_999_999, 'Counts from 1.')
  page: number = 1;

  @QueryInteger(25, 100, 'Accounts per page.')
  limit: number = 25;

  @OneOf(accountLifecycle.states, { optional: true, description: 'Only accounts of this status.' })
  status?: AccountStatus;

  @OneOf(accountTypes, { optional: true, description: 'Only accounts of this type.' })
  type?: AccountType;

  @DateBound('first', 'Created then or later.')
  created_after?: Date;

  @DateBound('last', 'Created then or earlier.')
  created_before?: Date;
}

export class SettingsAnswer implements AccountSettings {
  @Shown({ type: 'string', example: 'EUR' })
  currency: string;

  @Shown({ type: 'string', example: 'Europe/Berlin' })
  timezone: string;

  @Shown({ type: 'string', example: 'de-DE' })
  language: string;
}

export class AccountItemAnswer {
  @Shown({ type: 'string', example: exampleId('acc') })
  id: string;

  @Shown({ type: 'string', example: 'books@example.com' })
  email: string;

  @Shown({ type: 'string', example: 'Lovelace Ltd' })
  name: string;

  @Shown({ type: 'string', enum: [...accountTypes] })
  type: AccountType;

  @Shown({ type: 'string', enum: [...accountLifecycle.states] })
  status: AccountStatus;

  @Moment()
  created_at: string;

  @Moment()
  updated_at: string;
}

export class AccountAnswer extends AccountItemAnswer {
  @Shown({ type: SettingsAnswer })
  settings: SettingsAnswer;
}

function accountItemAnswer({
  id,
  email,
  name,
  type,
  status,
  createdAt,
  updatedAt,
}: Account): AccountItemAnswer {
  return {
    id,
    email,
    name,
    type,
    status,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export function accountAnswer(account: Account): AccountAnswer {
  const { currency, timezone, language } = account;
  return { ...accountItemAnswer(account), settings: { currency, timezone, language } };
}

export class AccountPagination {
  @Shown({ type: 'integer', example: 1 })
  page: number;

  @Shown({ type: 'integer', example: 25 })
  limit: number;

  @Shown({ type: 'integer', example: 93, description: 'Matching accounts.' })
  total: number;

  @Shown({ type: 'boolean', example: true })
  has_next: boolean;
}

export class AccountsAnswer {
  @Shown({ type: [AccountItemAnswer] })
  data: AccountItemAnswer[];

  @Shown({ type: AccountPagination })
  pagination: AccountPagination;
}

export function accountsAnswer(
  accounts: Account[],
  total: number,
  { page, limit }: PageRequest,
): AccountsAnswer {
  return {
    data: accounts.map(accountItemAnswer),
    pagination: { page, limit, total, has_next: page * limit < total },
  };
}

export class ClosedAccountAnswer {
  @Shown({ type: 'string', example: exampleId('acc') })
  id: string;

  @Shown({ type: 'string', enum: ['closed'] })
  status: 'closed';

  @Moment()
  closed_at: string;

  @Shown({ type: 'string', example: 'The account is closed. 0 minor units of EUR are left in it.' })
  message: string;
}

/** @throws Error for an account that is not closed */
export function closedAccountAnswer({ id, closedAt, posted, currency }: Account): ClosedAccountAnswer {
  if (closedAt === null) throw new Error(`${id} is not closed.`);
  return {
    id,
    status: 'closed',
    closed_at: closedAt.toISOString(),
    message: `The account is closed. ${posted} minor units of ${currency} are left in it.`,
  };
}
