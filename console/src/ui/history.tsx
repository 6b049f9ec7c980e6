import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { Link } from 'wouter';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { pageOf } from '../pages/links';
import { Failure, Loading } from './states';

type Attempt = Schemas['PaymentAttemptResponse'];

interface HistoryProps {
  readonly objectId: string;
  /** Whose events are shown, where what has happened is an event of several accounts. */
  readonly accountId?: string;
  /** The attempts to pay a payment request, oldest first: some of its events say no more than that it was changed. */
  readonly attempts?: readonly Attempt[];
  /** What else belongs to its history, such as refunds, each with the id of what has a page. */
  readonly others?: readonly { readonly id: string; readonly at: string; readonly text: string }[];
}

/** What has happened to a resource, newest first, with links to the events. */
export function History({ objectId, accountId, attempts = [], others = [] }: HistoryProps) {
  const { transaction: t, statuses } = useMessages();
  const query = useQuery({
    queryKey: ['history', objectId, attempts.length],
    queryFn: ({ signal }) =>
      api.get('/v1/events', {
        params: { query: { object_id: objectId, ...(accountId && { account_id: accountId }), limit: 100 } },
        signal,
      }),
  });
  const left = attempts.toReversed();
  const events = query.data?.data.map(({ id, type, created_at }) => {
    const action = type.split('.').at(-1)!;
    const attempt = isOf(action, left[0]) ? left.shift() : undefined;
    const key = action === 'updated' ? (attempt?.outcome ?? action) : action;
    return { id, at: created_at, text: textFor({ ...statuses, ...t.events }, key), attempt };
  });
  const entries = events
    ?.concat(others.map((other) => ({ ...other, attempt: undefined })))
    .toSorted((one, other) => other.at.localeCompare(one.at)) // stable: events stay in their order
    .map(({ id, at, text, attempt }) => (
      <Entry key={id} at={at} attempt={attempt}>
        <Link href={pageOf(id)!}>{text}</Link>
      </Entry>
    ));
  return (
    <section aria-labelledby="history">
      <h2 id="history">{t.history}</h2>
      {query.isPending && <Loading />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {entries?.length === 0 && left.length === 0 && <p className="soft">{t.noHistory}</p>}
      <ol className="history">
        {entries}
        {left.map((attempt) => (
          <Entry key={attempt.created_at} at={attempt.created_at} attempt={attempt}>
            {textFor({ ...statuses, ...t.events }, attempt.outcome)}
          </Entry>
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly at: string;
  readonly attempt?: Attempt;
  readonly children: ReactNode;
}

function Entry({ at, attempt, children }: EntryProps) {
  const { payment } = useMessages();
  const { time } = useFormats();
  return (
    <li>
      <span>
        {children}
        {attempt && (
          <span className="soft">
            {' '}
            {textFor(payment.methods, attempt.method)}
            {attempt.reason !== null && `: ${attempt.reason}`}
          </span>
        )}
      </span>
      <time dateTime={at}>{time(at)}</time>
    </li>
  );
}

/** Whether an event is that of an attempt. The last decline that is allowed fails the payment request. */
function isOf(action: string, attempt: Attempt | undefined): boolean {
  if (attempt === undefined) return false;
  return (
    action === attempt.outcome || (attempt.outcome === 'declined' && ['updated', 'failed'].includes(action))
  );
}
