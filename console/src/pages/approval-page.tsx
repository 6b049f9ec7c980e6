import { useQuery } from '@tanstack/react-query';
import { type Approval } from '../api/approvals';
import { api, REFRESH_MS } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { History } from '../ui/history';
import { IdLink } from '../ui/id-link';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { ApprovalActions } from './approval-actions';
import { personOf, receiversOf, useAmountOf, useEffectOf, useLoginChangesOf } from './approval-effect';
import { UserLink } from './user-link';

export default function ApprovalPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useQuery({
    queryKey: ['approval', id],
    queryFn: ({ signal }) =>
      api.get('/v1/approvals/{approval_id}', { params: { path: { approval_id: id } }, signal }),
    refetchInterval: REFRESH_MS,
  });
  if (query.data) return <Shown approval={query.data} />;
  return (
    <Page title={t.approvals.title} back={{ to: '/approvals', text: t.nav.approvals }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ approval }: { readonly approval: Approval }) {
  const { approvals: t, nav, fields } = useMessages();
  const { time } = useFormats();
  const effect = useEffectOf(approval);
  const amountOf = useAmountOf();
  const loginChangesOf = useLoginChangesOf();
  const { id, type, status, object_id, account_id, decided_by, rejection_reason } = approval;
  const isPending = status === 'pending';
  const person = personOf(approval);
  const receivers = receiversOf(approval);
  const title = textFor(t.types, type);
  return (
    <Page
      title={`${t.title}: ${title}`}
      heading={
        <>
          <span>{title}</span> <Status value={status} />
        </>
      }
      back={{ to: '/approvals', text: nav.approvals }}
      aside={isPending && <ApprovalActions approval={approval} effect={effect} />}
    >
      <section className="effect" aria-labelledby="effect">
        <h2 id="effect">{isPending ? t.effect : t.effectAsked}</h2>
        {effect === null ? <Loading /> : <p>{effect}</p>}
      </section>
      <Details
        rows={[
          [fields.reason, approval.reason],
          [t.requestedBy, <UserLink key="asker" id={approval.requested_by} />],
          [t.rejection, rejection_reason],
          [t.decidedBy, decided_by && <UserLink id={decided_by} />],
          [fields.email, person.email],
          [fields.name, person.name],
          ...loginChangesOf(approval),
          [fields.amount, amountOf(approval)],
          [fields.object, <IdLink key="object" id={object_id} />],
          [
            receivers.length > 0 ? fields.giver : fields.account,
            account_id === object_id ? null : account_id && <IdLink id={account_id} />,
          ],
          [
            fields.receiver,
            receivers.length === 0
              ? null
              : receivers.map((to) => (
                  <div key={to}>
                    <IdLink id={to} />
                  </div>
                )),
          ],
          [fields.id, <Copyable key="id" value={id} />],
          [fields.created, time(approval.created_at)],
          [fields.updated, isPending ? null : time(approval.updated_at)],
          [fields.expires, isPending ? time(approval.expires_at) : null],
        ]}
      />
      <History objectId={id} />
    </Page>
  );
}
