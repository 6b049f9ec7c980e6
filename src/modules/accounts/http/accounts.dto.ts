import { isTimeZone } from 'class-validator';
import { PageRequest } from '../../../kernel/pages';
import {
  CurrencyField,
  EmailField,
  EnumField,
  ReasonField,
  SecretField,
  StringField,
  field,
} from '../../../platform/http/request-fields';
import { ResponseField, Timestamp, exampleId } from '../../../platform/http/response-fields';
import { DateParam, IntegerParam } from '../../../platform/http/list-query';
import { Nested } from '../../../platform/http/request.pipe';
import { ReadonlyAccount, AccountSettings, AccountType, accountTypes } from '../domain/account';
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
    {
      expected: 'an IANA time zone',
      isValid: isZone,
      schema: { type: 'string', example: 'Europe/Berlin' },
    },
    { optional: true },
  );

const Language = () =>
  field(
    {
      expected: 'a BCP 47 language tag',
      isValid: isLanguage,
      schema: { type: 'string', example: 'de-DE' },
    },
    { optional: true },
  );

/** The runtime accepts offsets such as `+02:00`, but they have no rules for daylight saving time. */
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
    return false; // Intl throws a RangeError for an invalid tag
  }
}

class SettingsRequest implements Partial<AccountSettings> {
  @CurrencyField({ optional: true })
  currency?: string;

  @Timezone()
  timezone?: string;

  @Language()
  language?: string;
}

export class CreateAccountRequest {
  @EmailField()
  email: string;

  @StringField(1, 255, 'Lovelace Ltd')
  name: string;

  @EnumField(accountTypes)
  type: AccountType;

  @SecretField(
    'At least 8 characters, at most 72 bytes of UTF-8, not a common password, not made of the email or the name.',
  )
  password: string;

  @Nested(SettingsRequest)
  settings?: SettingsRequest;
}

export class UpdateOwnAccountRequest {
  @StringField(1, 255, 'Lovelace & King Ltd', { optional: true })
  name?: string;

  @EmailField({ optional: true })
  email?: string;

  @Nested(SettingsRequest)
  settings?: SettingsRequest;
}

export class UpdateAccountRequest extends UpdateOwnAccountRequest {
  @EnumField(settableStatuses, { optional: true })
  status?: SettableStatus;

  @ReasonField()
  reason?: string;
}

export class CloseAccountRequest {
  @ReasonField()
  reason?: string;
}

export class ListAccountsQuery {
  @IntegerParam(1, 999_999_999, 'Counts from 1.')
  page: number = 1;

  @IntegerParam(25, 100, 'Accounts per page.')
  limit: number = 25;

  @EnumField(accountLifecycle.states, { optional: true, description: 'Only accounts of this status.' })
  status?: AccountStatus;

  @EnumField(accountTypes, { optional: true, description: 'Only accounts of this type.' })
  type?: AccountType;

  @DateParam('first', 'Only accounts created at this time or later.')
  created_after?: Date;

  @DateParam('last', 'Only accounts created at this time or earlier.')
  created_before?: Date;
}

export class SettingsResponse implements AccountSettings {
  @ResponseField({ type: 'string', example: 'EUR' })
  currency: string;

  @ResponseField({ type: 'string', example: 'Europe/Berlin' })
  timezone: string;

  @ResponseField({ type: 'string', example: 'de-DE' })
  language: string;
}

export class AccountItemResponse {
  @ResponseField({ type: 'string', example: exampleId('acc') })
  id: string;

  @ResponseField({ type: 'string', example: 'books@example.com' })
  email: string;

  @ResponseField({ type: 'string', example: 'Lovelace Ltd' })
  name: string;

  @ResponseField({ type: 'string', enum: [...accountTypes] })
  type: AccountType;

  @ResponseField({ type: 'string', enum: [...accountLifecycle.states] })
  status: AccountStatus;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;
}

export class AccountResponse extends AccountItemResponse {
  @ResponseField({ type: SettingsResponse })
  settings: SettingsResponse;
}

function accountItemResponse({
  id,
  email,
  name,
  type,
  status,
  createdAt,
  updatedAt,
}: ReadonlyAccount): AccountItemResponse {
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

export function accountResponse(account: ReadonlyAccount): AccountResponse {
  const { currency, timezone, language } = account;
  return { ...accountItemResponse(account), settings: { currency, timezone, language } };
}

export class AccountPagination {
  @ResponseField({ type: 'integer', example: 1 })
  page: number;

  @ResponseField({ type: 'integer', example: 25 })
  limit: number;

  @ResponseField({ type: 'integer', example: 93, description: 'Matching accounts.' })
  total: number;

  @ResponseField({ type: 'boolean', example: true })
  has_next: boolean;
}

export class AccountsResponse {
  @ResponseField({ type: [AccountItemResponse] })
  data: AccountItemResponse[];

  @ResponseField({ type: AccountPagination })
  pagination: AccountPagination;
}

export function accountsResponse(
  accounts: readonly ReadonlyAccount[],
  total: number,
  { page, limit }: PageRequest,
): AccountsResponse {
  return {
    data: accounts.map(accountItemResponse),
    pagination: { page, limit, total, has_next: page * limit < total },
  };
}

export class ClosedAccountResponse {
  @ResponseField({ type: 'string', example: exampleId('acc') })
  id: string;

  @ResponseField({ type: 'string', enum: ['closed'] })
  status: 'closed';

  @Timestamp()
  closed_at: string;

  @ResponseField({ type: 'string', example: 'The account is closed. 0 minor units of EUR are left in it.' })
  message: string;
}

/** @throws Error for an account that is not closed */
export function closedAccountResponse({
  id,
  closedAt,
  posted,
  currency,
}: ReadonlyAccount): ClosedAccountResponse {
  if (closedAt === null) throw new Error(`${id} is not closed.`);
  return {
    id,
    status: 'closed',
    closed_at: closedAt.toISOString(),
    message: `The account is closed. ${posted} minor units of ${currency} are left in it.`,
  };
}
