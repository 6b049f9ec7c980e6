import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useEmailOf } from '../api/users';
import { useFormats } from '../i18n/formats';
import { format, textFor, useMessages } from '../i18n/i18n';
import { useMaySee } from '../session/use-session';
import { pageOf } from './links';

/** The verbs of the audit log, by the status that they lead to. Other statuses need no explanation. */
const verbs: Readonly<Record<string, string>> = { suspended: 'suspend', closed: 'close' };

interface StatusReasonProps {
  readonly kind: 'account' | 'user';
  readonly id: string;
  readonly status: string;
}

/** Since when, by whom and why an account or a user is suspended or closed, for those who may read the audit log. */
export function StatusReason({ kind, id, status }: StatusReasonProps) {
  const { audit, names, search, statuses } = useMessages();
  const { time } = useFormats();
  const { oversight } = useMaySee();
  const emailOf = useEmailOf(kind === 'account' ? id : undefined);
  const verb = verbs[status];
  const action = `${kind}.${verb}`;
  const { data, isLoading } = useQuery({
    queryKey: ['status-reason', id, action],
    queryFn: ({ signal }) =>
      api.get('/v1/audit-log', { params: { query: { object_id: id, action, limit: 10 } }, signal }),
    enabled: oversight && verb !== undefined,
  });
  const entry = data?.data.find(({ details }) => details.repeated !== true); // a repeated one changed nothing
  if (isLoading) return <p className="intro">&nbsp;</p>; // what follows stays where it is
  if (entry === undefined) return null;
  const { actor_id: actor, created_at, reason } = entry;
  const text = format(audit.since, {
    status: textFor(statuses, status),
    time: time(created_at),
    who: actor === 'system' || actor === null ? audit.system : (emailOf(actor) ?? actor),
  });
  return (
    <p className="intro">
      {[text, reason].filter(Boolean).join(names.separator)}{' '}
      <Link href={pageOf(entry.id)!}>{search.types.audit_entry}</Link>
    </p>
  );
}
