import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { EmailLink } from '../ui/id-link';
import { type Filter, Filters, useFilters } from '../ui/filters';
import { ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';
import { useOldestFirst } from '../ui/list-order';
import { useChangeText } from './audit-entry-page';
import { dateFilters } from './date-filters';
import { auditActions } from './event-types';
import { pageOf } from './links';

type AuditEntry = Schemas['AuditEntryResponse'];

interface AuditFilter {
  readonly account_id?: string;
  readonly actor_id?: string;
  readonly object_id?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly reads?: 'true' | 'false';
  readonly date_from?: string;
  readonly date_to?: string;
}

const filterNames = ['action', 'actor_id', 'outcome', 'object_id', 'reads', 'date_from', 'date_to'] as const;

/** The filter in the address. Reads are left out unless they are asked for, by themselves or as the action. */
export function useAuditFilter(): AuditFilter {
  const { reads, ...filter } = useFilters(filterNames);
  const showsReads = reads === 'true' || /\.(read|list_sessions)$/.test(filter.action ?? '');
  return { ...filter, ...(!showsReads && { reads: 'false' }) };
}

interface AuditListProps {
  /** Whose entries are listed; by default all. */
  readonly of?: { readonly account_id: string } | { readonly object_id: string };
}

/** The audit log, or a part of it, with filters. */
export function AuditList({ of }: AuditListProps) {
  const { audit, fields, list, names, statuses } = useMessages();
  const { succeeded, failed, refused } = statuses;
  const given = useFilters(filterNames);
  const filter = { ...useAuditFilter(), ...of };
  const { action = '' } = given;
  const actions = [...new Set<string>([...auditActions, ...(action === '' ? [] : [action])])]
    .map((code) => [code, nameOf(names, code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
  const filters: Filter[] = [
    { name: 'action', label: fields.action, options: Object.fromEntries(actions) },
    { name: 'actor_id', label: fields.actor, type: 'actor' },
    ...(of !== undefined && 'object_id' in of
      ? []
      : [{ name: 'object_id', label: audit.objectId, type: 'text' } as const]),
    { name: 'outcome', label: fields.outcome, options: { succeeded, failed, refused } },
    ...dateFilters({ list }, given, ['date_from', 'date_to']),
    { name: 'reads', label: audit.reads, options: { '': audit.hidden, true: audit.shown } },
  ];
  return (
    <>
      <Filters savedAs={of === undefined ? 'audit' : undefined} filters={filters} />
      <AuditTable filter={filter} hasFilters={Object.keys(given).length > 0} />
    </>
  );
}

interface AuditTableProps {
  readonly filter: AuditFilter;
  readonly hasFilters: boolean;
}

/** Who did what. */
function AuditTable({ filter, hasFilters }: AuditTableProps) {
  const { fields, audit, names } = useMessages();
  const { time } = useFormats();
  const oldest = useOldestFirst('aud');
  const changeText = useChangeText();
  const query = filter as Omit<AuditFilter, 'outcome'>; // the service says what is wrong with an outcome
  const { account_id: accountId } = filter;
  const actorOf = ({ actor_id }: AuditEntry) =>
    actor_id === 'system' ? audit.system : actor_id && <EmailLink id={actor_id} accountId={accountId} />;
  const objectOf = ({ object_id }: AuditEntry) =>
    object_id && <EmailLink id={object_id} accountId={accountId} />;
  return (
    <ResourceList<AuditEntry>
      label={audit.title}
      queryKey={['audit', filter, oldest]}
      load={cursorPages(
        (page, signal) =>
          api.get('/v1/audit-log', {
            params: { query: { ...query, ...page } },
            signal,
          }),
        oldest,
      )}
      keyOf={({ id }) => id}
      linkOf={({ id }) => pageOf(id)}
      hasFilters={hasFilters}
      secondOf={(entry) => (
        <>
          <Status value={entry.outcome} /> {actorOf(entry)}{' '}
          {entry.object_id !== null && <>→&nbsp;{objectOf(entry)}</>}
        </>
      )}
      columns={[
        {
          name: 'action',
          header: fields.action,
          kind: 'text',
          wraps: true,
          cell: ({ action, changes, details: { operation, error }, reason }) => (
            <>
              {nameOf(names, action)}
              <code className="code">
                {action === 'request' ? [operation, error].filter(Boolean).join(': ') : action}
              </code>
              {changes?.map((change) => (
                <span key={change.member} className="fact">
                  {changeText(change)}
                </span>
              ))}
              {reason !== null && <span className="fact">{reason}</span>}
            </>
          ),
        },
        {
          name: 'status',
          header: fields.outcome,
          kind: 'status',
          isMinor: true,
          cell: ({ outcome }) => <Status value={outcome} />,
        },
        { name: 'actor', header: fields.actor, isMinor: true, wraps: true, cell: actorOf },
        { name: 'object', header: fields.object, isMinor: true, wraps: true, cell: objectOf },
        {
          name: 'date',
          header: fields.date,
          kind: 'time',
          sort: 'created_at',
          cell: ({ created_at }) => time(created_at),
        },
      ]}
    />
  );
}
