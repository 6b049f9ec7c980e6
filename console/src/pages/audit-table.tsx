import { api, type Schemas } from '../api/client';
import { cursorPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { EmailLink } from '../ui/id-link';
import { ResourceList } from '../ui/resource-list';
import { Status } from '../ui/status';

type AuditEntry = Schemas['AuditEntryResponse'];

interface AuditFilter {
  readonly account_id?: string;
  readonly actor_id?: string;
  readonly object_id?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly date_from?: string;
  readonly date_to?: string;
}

interface AuditTableProps {
  readonly filter: AuditFilter;
  readonly hasFilters: boolean;
}

/** Who did what, newest first. */
export function AuditTable({ filter, hasFilters }: AuditTableProps) {
  const { fields, audit, names } = useMessages();
  const { time } = useFormats();
  const query = filter as Omit<AuditFilter, 'outcome'>; // the service says what is wrong with an outcome
  const { account_id: accountId } = filter;
  const actorOf = ({ actor_id }: AuditEntry) =>
    actor_id === 'system' ? audit.system : actor_id && <EmailLink id={actor_id} accountId={accountId} />;
  const objectOf = ({ object_id }: AuditEntry) =>
    object_id && <EmailLink id={object_id} accountId={accountId} />;
  return (
    <ResourceList<AuditEntry>
      label={audit.title}
      queryKey={['audit', filter]}
      load={cursorPages((page, signal) =>
        api.get('/v1/audit-log', {
          params: { query: { ...query, ...page } },
          signal,
        }),
      )}
      keyOf={({ id }) => id}
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
          cell: ({ action, details: { operation, error }, reason }) => (
            <>
              {nameOf(names, action)}
              <code className="code">
                {action === 'request' ? [operation, error].filter(Boolean).join(': ') : action}
              </code>
              {reason}
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
          cell: ({ created_at }) => time(created_at),
        },
      ]}
    />
  );
}
