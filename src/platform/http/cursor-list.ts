import { Type } from '@nestjs/common';
import { IdPrefix } from '../../kernel/ids';
import { CursorPage } from '../../kernel/pages';
import { Id, Shown, Text } from './fields';
import { Cursor, DateBound, QueryInteger } from './query-fields';

/** The query that all lists of what accounts own take. @param things what is listed, in the plural */
export function CursorListQuery(prefix: IdPrefix, things: string) {
  class Query {
    @Id('acc', { optional: true, description: `Only ${things} of this account.` })
    account_id?: string;

    @Text(0, 255, 'invoice-2041', { optional: true, description: `Only ${things} with this reference.` })
    reference?: string;

    @QueryInteger(20, 100, `How many ${things} a page has at most.`)
    limit: number = 20;

    @Cursor(prefix, `Only ${things} older than this one.`)
    starting_after?: string;

    @Cursor(prefix, `Only ${things} newer than this one, the nearest to it.`)
    ending_before?: string;

    @DateBound('first', 'Created then or later.')
    date_from?: Date;

    @DateBound('last', 'Created then or earlier.')
    date_to?: Date;
  }
  return Query;
}

type CursorListQuery = InstanceType<ReturnType<typeof CursorListQuery>>;

/** What such a query narrows the list by. */
export function filterOf({ account_id, reference, date_from, date_to }: CursorListQuery) {
  return { accountId: account_id, reference, from: date_from, to: date_to };
}

/** The answer that all cursor lists give. */
export function CursorListAnswer<Item>(item: Type<Item>) {
  class Answer {
    @Shown({ type: 'string', enum: ['list'] })
    object: 'list';

    @Shown({ type: [item] })
    data: Item[];

    @Shown({
      type: 'boolean',
      example: true,
      description: 'Whether the list goes on in the direction walked.',
    })
    has_more: boolean;
  }
  return Answer;
}

/** @param shown how the list shows an item */
export function cursorListAnswer<Item, Answer>(
  { items, hasMore }: CursorPage<Item>,
  shown: (item: Item) => Answer,
): { object: 'list'; data: Answer[]; has_more: boolean } {
  return { object: 'list', data: items.map(shown), has_more: hasMore };
}
