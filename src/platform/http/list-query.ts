import { applyDecorators, type Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { parseTimestamp } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { type IdPrefix, isId } from '../../kernel/ids';
import { isAmount } from '../../kernel/money';
import type { CursorRequest } from '../../kernel/pages';
import { amountRule, EnumField, field, StringField } from './request-fields';
import { exampleId, countSchema, idSchema, nameEnum } from './response-fields';

/** A pagination cursor: a place in the order of the ids, which all items of the list have in common. */
const CursorParam = (prefix: IdPrefix, description: string) =>
  field(
    {
      expected: 'the id of an item of this list',
      isValid: (value) => typeof value === 'string' && isId(prefix, value),
      schema: { ...idSchema(prefix), example: undefined },
    },
    { optional: true, description },
  );

const DIGITS = /^(0|[1-9]\d{0,8})$/;

/** An integer from 1 to `maximum`. The default applies where the query class initializes the member with it. */
export const IntegerParam = (defaultValue: number, maximum: number, description: string) =>
  applyDecorators(
    Transform(({ value }): unknown =>
      typeof value === 'string' && DIGITS.test(value) ? Number(value) : value,
    ),
    field(
      {
        expected: `a whole number from 1 to ${maximum}`,
        isValid: (value) => isAmount(value) && value <= maximum,
        schema: { ...countSchema, minimum: 1, maximum, default: defaultValue, example: defaultValue },
      },
      { optional: true, description },
    ),
  );

const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * An inclusive date bound, parsed to a Date: an ISO 8601 timestamp, or a bare date for the whole UTC day.
 * @param bound whether it begins a range or ends it: a bare date means its first or its last millisecond, and digits below
 * a millisecond are rounded up or down
 */
export const DateParam = (bound: 'first' | 'last', description: string) =>
  applyDecorators(
    Transform(({ value }): unknown => parseDateBound(value, bound) ?? value),
    field(
      {
        expected: 'an ISO 8601 date, or a date and time with a time zone',
        isValid: (value) => value instanceof Date,
        schema: { type: 'string', example: '2026-01-31' },
      },
      { optional: true, description },
    ),
  );

function parseDateBound(value: unknown, bound: 'first' | 'last'): Date | null {
  if (typeof value !== 'string' || !BARE_DATE.test(value))
    return parseTimestamp(value, bound === 'first' ? 'up' : 'down');
  return parseTimestamp(`${value}T${bound === 'first' ? '00:00:00.000' : '23:59:59.999'}Z`);
}

/** The query parameters that select a page of a cursor list. */
class CursorPageParameters {
  limit: number = 20;
  starting_after?: string;
  ending_before?: string;
}

/** The query parameters of cursor lists of what accounts own. */
class CursorListParameters extends CursorPageParameters {
  account_id?: string;
  date_from?: Date;
  date_to?: Date;
}

/** A query parameter that filters a list: one of several values, or a string. */
type FilterParameter =
  readonly string[] | { readonly maxCharacters: number; readonly example: string } | AmountParameter;
interface AmountParameter {
  readonly amount: 'minimum' | 'maximum';
}
type FilterParameters = Readonly<Record<string, FilterParameter>>;
type FilterValues<Parameters extends FilterParameters> = {
  -readonly [Name in keyof Parameters]?: Parameters[Name] extends readonly (infer Value)[]
    ? Value
    : Parameters[Name] extends AmountParameter
      ? number
      : string;
};

/** Filters a list by the account: any string, because that of an unknown account yields an empty list. */
const accountFilter = { maxCharacters: 255, example: exampleId('acc') } as const;

/** The parameter of a list that is not a cursor list. */
export const AccountParam = (description: string) =>
  StringField(0, accountFilter.maxCharacters, accountFilter.example, { optional: true, description });

/** Filters a list by the exact external reference. */
export const referenceFilter = { maxCharacters: 255, example: 'invoice-2041' } as const;

/** Filters a list by inclusive bounds of the amount. */
export const amountFilters = {
  amount_min: { amount: 'minimum' },
  amount_max: { amount: 'maximum' },
} as const;

/** Filters a list by a customer's email address. */
export const customerEmailFilter = { maxCharacters: 254, example: 'customer@example.com' } as const;

/** Declares the query class of a cursor list without filters. @param items as for `CursorListQuery` */
export function CursorPageQuery(prefix: IdPrefix, items: string): Type<CursorPageParameters> {
  class Query extends CursorPageParameters {}
  declare(Query, pageParameters(prefix, items));
  return Query;
}

function declare(query: Type<object>, parameters: Readonly<Record<string, PropertyDecorator>>): void {
  for (const [name, decorator] of Object.entries(parameters)) decorator(query.prototype as object, name);
}

const pageParameters = (prefix: IdPrefix, items: string) => ({
  limit: IntegerParam(20, 100, `The maximum number of ${items} on the page.`),
  starting_after: CursorParam(prefix, `Returns ${items} older than the one with this id.`),
  ending_before: CursorParam(
    prefix,
    `Returns the nearest ${items} that are newer than the one with this id.`,
  ),
});

/**
 * Declares the query class of a cursor list.
 * @param items what the list contains, in the plural, for the OpenAPI document
 * @param filters the parameters that filter it, besides the account and the dates
 */
export function CursorListQuery<const Parameters extends FilterParameters>(
  prefix: IdPrefix,
  items: string,
  filters: Parameters,
): Type<CursorListParameters & FilterValues<Parameters>> {
  class Query extends CursorListParameters {}
  const all: FilterParameters = { ...filters, account_id: accountFilter };
  for (const [name, filter] of Object.entries(all))
    declare(Query, { [name]: filterField(name, filter, items) });
  declare(Query, {
    ...pageParameters(prefix, items),
    date_from: DateParam('first', `Only ${items} created at this time or later.`),
    date_to: DateParam('last', `Only ${items} created at this time or earlier.`),
  });
  return Query as Type<CursorListParameters & FilterValues<Parameters>>;
}

const AMOUNT_DIGITS = /^[1-9]\d{0,15}$/;

const AmountParam = ({ amount }: AmountParameter, items: string) =>
  applyDecorators(
    Transform(({ value }): unknown =>
      typeof value === 'string' && AMOUNT_DIGITS.test(value) ? Number(value) : value,
    ),
    field(amountRule, {
      optional: true,
      description: `Only ${items} of this amount or ${amount === 'minimum' ? 'more' : 'less'}, in minor units.`,
    }),
  );

function filterField(name: string, filter: FilterParameter, items: string): PropertyDecorator {
  if ('amount' in filter) return AmountParam(filter, items);
  const description = `Only ${items} with this ${name.replaceAll('_', ' ')}.`;
  const options = { optional: true, description } as const;
  return 'maxCharacters' in filter
    ? StringField(0, filter.maxCharacters, filter.example, options)
    : EnumField(filter, options);
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type PageParameter = 'limit' | 'starting_after' | 'ending_before';
/** Read before the list is (see exportAsCsv). */
type ExportParameter = 'format';
type FilterOf<Query> = {
  [Name in Exclude<keyof Query & string, PageParameter | ExportParameter> as CamelCase<Name>]: Query[Name];
};

/**
 * Splits a cursor list's query into the requested page and the filter, whose members are the other parameters in camel
 * case.
 * @throws DomainError `invalid_request` for two cursors at once
 */
export function parseListRequest<Query extends CursorPageParameters>(
  query: Query,
): { filter: FilterOf<Query>; page: CursorRequest } {
  const { limit, starting_after: startingAfter, ending_before: endingBefore, ...others } = query;
  if (startingAfter !== undefined && endingBefore !== undefined) {
    throw new DomainError('invalid_request', 'Send either starting_after or ending_before, not both.');
  }
  const filter = Object.fromEntries(Object.entries(others).map(([name, value]) => [camelCase(name), value]));
  return { filter: filter as FilterOf<Query>, page: { limit, startingAfter, endingBefore } };
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The `sort` parameter of a list with amounts that do not change. */
export const SortParam = () =>
  EnumField(['created_at', 'amount'], {
    optional: true,
    description:
      'By default `created_at`. `amount` returns the largest first. The item of a cursor must exist, and other filters must leave few items, or have some among the next by amount.',
  });

/** The `order` parameter of a list that can be read in the opposite order. */
export const OrderParam = () =>
  EnumField(['asc', 'desc'], {
    optional: true,
    description:
      'By default `desc`. `asc` returns the oldest first, or the smallest. The cursors follow the order: `starting_after` then returns newer items.',
  });

/** The `view` parameter of a list whose items are short by default. */
export const ViewParam = () =>
  EnumField(['full'], { optional: true, description: 'Returns whole objects instead of short ones.' });

const listFormats = ['json', 'csv'] as const;
nameEnum('ListFormat', listFormats);
export type ListFormat = (typeof listFormats)[number];

/** The `format` parameter of a list that can be exported (see csv-export.ts). @param csv what `csv` returns */
export const FormatParam = (
  csv = '`csv` returns all items from `starting_after` on, whatever `limit` says.',
) =>
  EnumField(listFormats, {
    optional: true,
    description: `What \`Accept\` prefers by default, else \`json\`. ${csv}`,
  });
