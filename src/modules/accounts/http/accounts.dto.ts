import { isTimeZone } from 'class-validator';
import { Page, PageRequest } from '../../../kernel/pages';
import {
  DateParam,
  FormatParam,
  IntegerParam,
  ListFormat,
  ViewParam,
} from '../../../platform/http/list-query';
import {
  CurrencyField,
  EmailField,
  EnumField,
  field,
  ReasonField,
  SecretField,
  StringField,
} from '../../../platform/http/request-fields';
import { Nested } from '../../../platform/http/request.pipe';
import {
  AmountResponseField,
  countSchema,
  exampleId,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { passwordRule } from '../../auth';
import { AccountSettings, AccountType, accountTypes, LockedAccount } from '../domain/account';
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

export class SettingsRequest implements Partial<AccountSettings> {
  @CurrencyField({ optional: true }) currency?: string;
  @Timezone() timezone?: string;
  @Language() language?: string;
}

export class SettingsResponse implements AccountSettings {
  @ResponseField({ example: 'EUR' }) currency: string;
  @ResponseField({ example: 'Europe/Berlin' }) timezone: string;
  @ResponseField({ example: 'de-DE' }) language: string;
}

nameEnum('AccountType', accountTypes);
nameEnum('AccountStatus', accountLifecycle.states);
nameEnum('SettableAccountStatus', settableStatuses);

/** A hundred ids, and the commas between them. */
const MAX_IDS_CHARACTERS = 100 * (exampleId('acc').length + 1) - 1;

export class InviteAccountRequest {
  @EmailField() email: string;
  @StringField(1, 255, 'Lovelace Ltd') name: string;
  @EnumField(accountTypes) type: AccountType;
  @Nested(SettingsRequest) settings?: SettingsRequest;
}

export class CreateAccountRequest extends InviteAccountRequest {
  @SecretField(passwordRule) password: string;
}

export class UpdateOwnAccountRequest {
  @StringField(1, 255, 'Lovelace & King Ltd', { optional: true }) name?: string;
  @EmailField({ optional: true }) email?: string;
  @Nested(SettingsRequest) settings?: SettingsRequest;
}

export class UpdateAccountRequest extends UpdateOwnAccountRequest {
  @EnumField(settableStatuses, { optional: true }) status?: SettableStatus;
  @ReasonField() reason?: string;
}

export class CloseAccountRequest {
  @ReasonField() reason?: string;
}

export class ListAccountsQuery {
  @IntegerParam(1, 999_999_999, 'Counts from 1.') page: number = 1;
  @IntegerParam(25, 100, 'Accounts per page.') limit: number = 25;

  @StringField(0, MAX_IDS_CHARACTERS, `${exampleId('acc')},${exampleId('acc')}`, {
    optional: true,
    description: 'Only the account with this id, or those with these ids: at most 100, separated by commas.',
  })
  id?: string;

  @StringField(0, 254, 'books@example.com', {
    optional: true,
    description: 'Only the account with this email, case-insensitive.',
  })
  email?: string;

  @StringField(1, 255, 'Lovelace', {
    optional: true,
    description: 'How the name begins, case-insensitive. Rejected if more than 1,000 names begin so.',
  })
  name?: string;

  @EnumField(accountLifecycle.states, { optional: true, description: 'Only accounts of this status.' })
  status?: AccountStatus;

  @EnumField(accountTypes, { optional: true, description: 'Only accounts of this type.' }) type?: AccountType;
  @DateParam('first', 'Only accounts created at this time or later.') created_after?: Date;
  @DateParam('last', 'Only accounts created at this time or earlier.') created_before?: Date;

  @ViewParam() view?: 'full';

  @FormatParam('`csv` returns all accounts that match, whatever `limit` says, and takes no `page`.')
  format?: ListFormat;
}

export function toAccountFilter(query: ListAccountsQuery) {
  const { name, created_after: createdAfter, created_before: createdBefore, ...others } = query;
  const { id, email, status, type } = others;
  return { ids: id?.split(','), email, namePrefix: name, status, type, createdAfter, createdBefore };
}

class AccountMembers {
  @IdResponseField('acc') id: string;
  @ResponseField({ example: 'books@example.com' }) email: string;
  @ResponseField({ example: 'Lovelace Ltd' }) name: string;
  @ResponseField({ enum: accountTypes }) type: AccountType;
  @ResponseField({ enum: accountLifecycle.states }) status: AccountStatus;
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

export class AccountResponse extends AccountMembers {
  @ResponseField({ type: SettingsResponse }) settings: SettingsResponse;
}

class AccountBalanceResponse {
  @AmountResponseField({ minimum: 0, example: 5000, description: 'Settled money, in minor units.' })
  posted: number;

  @AmountResponseField({ minimum: 0, example: 1250, description: 'The part of `posted` that is held.' })
  held: number;

  @AmountResponseField({ minimum: 0, example: 3750, description: '`posted` minus `held`.' })
  available: number;
}

const WITH_VIEW = 'Only with `view=full`.';

export class AccountItemResponse extends AccountMembers {
  @ResponseField({ required: false, type: SettingsResponse, description: WITH_VIEW })
  settings?: SettingsResponse;

  @ResponseField({ required: false, type: AccountBalanceResponse, description: WITH_VIEW })
  balance?: AccountBalanceResponse;
}

function accountMembers(account: LockedAccount): AccountMembers {
  const { id, email, name, type, status } = account;
  const created_at = account.createdAt.toISOString();
  return { id, email, name, type, status, created_at, updated_at: account.updatedAt.toISOString() };
}

export function accountResponse(account: LockedAccount): AccountResponse {
  const { currency, timezone, language } = account;
  return { ...accountMembers(account), settings: { currency, timezone, language } };
}

/** An account of a list with `view=full`: all in it is in its row. */
export function viewedAccountResponse(account: LockedAccount): AccountItemResponse {
  const { posted, held, available } = account;
  return { ...accountResponse(account), balance: { posted, held, available } };
}

export class AccountPagination {
  @ResponseField({ ...countSchema, example: 1 }) page: number;
  @ResponseField({ ...countSchema, example: 25 }) limit: number;
  @ResponseField({ ...countSchema, example: 93, description: 'Matching accounts.' }) total: number;
  @ResponseField({ type: 'boolean', example: true }) has_next: boolean;
}

export class AccountsResponse {
  @ResponseField({ type: [AccountItemResponse] }) data: AccountItemResponse[];
  @ResponseField({ type: AccountPagination }) pagination: AccountPagination;
}

export function accountsResponse(
  { items, total }: Page<LockedAccount>,
  { page, limit }: PageRequest,
  view: 'full' | undefined,
): AccountsResponse {
  return {
    data: items.map(view === 'full' ? viewedAccountResponse : accountMembers),
    pagination: { page, limit, total, has_next: page * limit < total },
  };
}

export class ClosedAccountResponse {
  @IdResponseField('acc') id: string;
  @ResponseField({ enum: ['closed'] }) status: 'closed';
  @Timestamp() closed_at: string;
  @ResponseField({ example: 'The account is closed. 0 minor units of EUR are left in it.' }) message: string;
}

/** @throws Error for an account that is not closed */
export function closedAccountResponse(account: LockedAccount): ClosedAccountResponse {
  const { id, closedAt, posted, held, currency } = account;
  if (closedAt === null) throw new Error(`${id} is not closed.`);
  const ofThem = held === 0 ? '' : `, ${held} of them held for pending refunds`;
  return {
    id,
    status: 'closed',
    closed_at: closedAt.toISOString(),
    message: `The account is closed. ${posted} minor units of ${currency} are left in it${ofThem}.`,
  };
}
