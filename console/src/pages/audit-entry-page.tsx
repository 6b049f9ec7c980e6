import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { EmailLink, IdLink } from '../ui/id-link';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';

type AuditEntry = Schemas['AuditEntryResponse'];
type Change = NonNullable<AuditEntry['changes']>[number];

export default function AuditEntryPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useQuery({
    queryKey: ['audit-entry', id],
    queryFn: ({ signal }) =>
      api.get('/v1/audit-log/{audit_entry_id}', { params: { path: { audit_entry_id: id } }, signal }),
  });
  if (query.data) return <Shown entry={query.data} />;
  return (
    <Page title={t.search.types.audit_entry} back={{ to: '/audit', text: t.nav.audit }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ entry }: { readonly entry: AuditEntry }) {
  const { audit, fields, names, nav, people } = useMessages();
  const { number, time } = useFormats();
  const { action, actor_id: actor, actor_role: role, object_id: object, account_id: account } = entry;
  const title = nameOf(names, action);
  const users = account === null ? {} : { accountId: account };
  const memberOf = useMemberName();
  const valueOf = useValueText();
  const said = ['changed', 'changes_hash', ...(entry.changes ?? []).map(({ member }) => member)];
  const doneBy = actor && (
    <>
      <EmailLink id={actor} {...users} />{' '}
      {role && <span className="soft">{textFor(people.roles, role)}</span>}
    </>
  );
  const facts = Object.entries(entry.details).filter(([name]) => !said.includes(name));
  return (
    <Page
      title={title}
      heading={
        <>
          <span>{title}</span> <Status value={entry.outcome} />
        </>
      }
      back={{ to: '/audit', text: nav.audit }}
    >
      <Details
        rows={[
          [fields.actor, actor === 'system' ? audit.system : doneBy],
          [fields.object, object && <EmailLink id={object} {...users} />],
          [fields.account, account !== object && account && <IdLink id={account} />],
          [fields.date, time(entry.created_at)],
          [fields.reason, entry.reason],
          ...facts.map(([name, value]) => [memberOf(name), valueOf(name, value)] as const),
          [fields.address, entry.ip],
          [fields.device, entry.user_agent],
          [fields.action, <Copyable key="action" value={action} />],
          [audit.request, entry.request_id && <Copyable value={entry.request_id} />],
          [fields.number, entry.sequence === null ? audit.unsealed : number(entry.sequence)],
          [fields.id, <Copyable key="id" value={entry.id} />],
        ]}
      />
      <Changes entry={entry} />
    </Page>
  );
}

/** What was changed, from what to what. */
function Changes({ entry: { changes } }: { readonly entry: AuditEntry }) {
  const { audit } = useMessages();
  const memberOf = useMemberName();
  const valueOf = useValueText();
  if (changes === null) return <p className="notice">{audit.erased}</p>;
  if (changes.length === 0) return null;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{audit.changes}</h2>
      <table className="list" aria-labelledby="changes">
        <thead>
          <tr>
            <th scope="col">{audit.member}</th>
            <th scope="col">{audit.before}</th>
            <th scope="col">{audit.after}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ member, from, to }) => (
            <tr key={member}>
              <th scope="row">{memberOf(member)}</th>
              <td>{valueOf(member, from)}</td>
              <td>{valueOf(member, to)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Returns a change in one line. */
export function useChangeText(): (change: Change) => string {
  const { names } = useMessages();
  const memberOf = useMemberName();
  const valueOf = useValueText();
  return ({ member, from, to }) =>
    `${memberOf(member)}${names.separator}${valueOf(member, from)} → ${valueOf(member, to)}`;
}

/** Returns what the member of a resource is called. What its owner has named keeps that name. */
function useMemberName(): (member: string) => string {
  const { fields, names, webhooks, you } = useMessages();
  const { url, eventTypes: event_types } = webhooks;
  const texts = { ...fields, url, event_types, language: you.language, account_id: fields.account };
  return (member) => {
    const [first = '', ...rest] = member.split('.');
    if (first === 'metadata') return [fields.metadata, rest.join('.')].join(names.separator);
    return textFor(texts, rest.at(-1) ?? first);
  };
}

/** Returns a value as the console shows it. */
function useValueText(): (member: string, value: unknown) => string {
  const { people, statuses, webhooks } = useMessages();
  return (member, value) => {
    if (member === 'event_types' && value === null) return webhooks.allTypes;
    if (member === 'role') return textFor(people.roles, textOf(value));
    if (member === 'status') return textFor(statuses, textOf(value));
    return textOf(value);
  };
}

function textOf(value: unknown): string {
  if (value === null) return '–';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
