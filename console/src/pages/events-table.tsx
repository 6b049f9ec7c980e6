import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { nameOf } from '../i18n/name-of';
import { IdLink, IdText } from '../ui/id-link';
import { type Column, ResourceList } from '../ui/resource-list';
import { useColumns } from './columns';
import { pageOf } from './links';

type Event = Schemas['EventResponse'];

interface EventsTableProps {
  readonly filter: Partial<Record<'type' | 'object_id' | 'account_id' | 'date_from' | 'date_to', string>>;
  readonly hasFilters: boolean;
  /** Leaves out what is the same in all rows of one account. */
  readonly isOfAccount?: boolean;
}

/** What has changed, newest first. */
export function EventsTable({ filter, hasFilters, isOfAccount = isDashboard }: EventsTableProps) {
  const { nav, fields, names } = useMessages();
  const shared = useColumns();
  const columns: Column<Event>[] = [
    { name: 'type', header: fields.type, cell: ({ type }) => nameOf(names, type) },
    {
      name: 'object',
      header: fields.object,
      isMinor: true,
      cell: ({ object_id }) => <IdLink id={object_id} />,
    },
    shared.account,
    shared.created,
  ];
  return (
    <ResourceList<Event>
      label={nav.events}
      queryKey={['events', filter]}
      load={cursorPages((page, signal) =>
        api.get('/v1/events', { params: { query: { ...filter, ...page } }, signal }),
      )}
      columns={columns.filter(({ name }) => !(isOfAccount && name === 'account'))}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      secondOf={({ object_id, account_id }) => (
        <>
          <IdText id={object_id} />
          {!isOfAccount && account_id !== null && account_id !== object_id && (
            <>
              {' · '}
              <IdText id={account_id} />
            </>
          )}
        </>
      )}
      hasFilters={hasFilters}
    />
  );
}
