import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IdPrefix, isId } from '../../kernel/ids';
import { isAmount } from '../../kernel/money';
import { CursorRequest } from '../../kernel/pages';
import { Refusal } from '../../kernel/refusal';
import { exampleId, field, parseMoment } from './fields';

/** A cursor: the id of an item of the list. */
export const Cursor = (prefix: IdPrefix, description: string) =>
  field(
    'cursor',
    'the id of an item of this list',
    (value) => typeof value === 'string' && isId(prefix, value),
    {
      type: 'string',
      description,
      example: exampleId(prefix),
    },
    { optional: true },
  );

const WHOLE_NUMBER = /^(0|[1-9]\d{0,8})$/;

/** A whole number of a query, from 1 to `maximum`. */
export const QueryInteger = (preset: number, maximum: number, description: string) =>
  applyDecorators(
    Transform(({ value }): unknown =>
      typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value,
    ),
    field(
      'integer',
      `a whole number from 1 to ${maximum}`,
      (value) => isAmount(value) && value <= maximum,
      {
        type: 'integer',
        minimum: 1,
        maximum,
        default: preset,
        description,
      },
      { optional: true },
    ),
  );

const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A bound on a date: an ISO 8601 moment, or a bare date that stands for that whole UTC day. Becomes a Date. */
export const DateBound = (end: 'first' | 'last', description: string) =>
  applyDecorators(
    Transform(({ value }): unknown => parseDateBound(value, end) ?? value),
    field(
      'date',
      'an ISO 8601 date, or a date and time with a time zone',
      (value) => value instanceof Date,
      {
        type: 'string',
        description,
        example: '2026-01-31',
      },
      { optional: true },
    ),
  );

function parseDateBound(value: unknown, end: 'first' | 'last'): Date | null {
  const wholeDay = typeof value === 'string' && BARE_DATE.test(value);
  return parseMoment(wholeDay ? `${value}T${end === 'first' ? '00:00:00.000' : '23:59:59.999'}Z` : value);
}

/** The page that the query of a cursor list asks for. @throws Refusal `invalid_request` for two cursors at once */
export function cursorOf(query: {
  limit: number;
  starting_after?: string;
  ending_before?: string;
}): CursorRequest {
  const { limit, starting_after: startingAfter, ending_before: endingBefore } = query;
  if (startingAfter !== undefined && endingBefore !== undefined) {
    throw new Refusal('invalid_request', 'Send starting_after or ending_before, not both.');
  }
  return { limit, startingAfter, endingBefore };
}
