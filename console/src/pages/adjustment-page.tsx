import { useQuery } from '@tanstack/react-query';
import { useListedAccount } from '../api/account';
import { api, REFRESH_MS, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useMaySee } from '../session/use-session';
import { Actions } from '../ui/actions';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { History } from '../ui/history';
import { IdLink } from '../ui/id-link';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { aboutPerson } from './about';
import { AdjustDialog } from './adjust-dialog';
import { changeOf } from './adjustments-table';
import { UserLink } from './user-link';

type Adjustment = Schemas['AdjustmentResponse'];

export default function AdjustmentPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useQuery({
    queryKey: ['adjustment', id],
    queryFn: ({ signal }) =>
      api.get('/v1/adjustments/{adjustment_id}', { params: { path: { adjustment_id: id } }, signal }),
    refetchInterval: REFRESH_MS,
  });
  if (query.data) return <Shown adjustment={query.data} />;
  return (
    <Page title={t.adjustments.title} back={{ to: '/adjustments', text: t.nav.adjustments }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ adjustment }: { readonly adjustment: Adjustment }) {
  const { adjustments: t, nav, fields } = useMessages();
  const { money, time } = useFormats();
  const { oversight } = useMaySee();
  const { id, status, currency, reference, approval_id } = adjustment;
  const amount = money(changeOf(adjustment), currency);
  return (
    <Page
      title={`${t.title} ${amount}`}
      heading={
        <>
          <span>{amount}</span> <Status value={status} />
        </>
      }
      back={{ to: '/adjustments', text: nav.adjustments }}
      aside={status === 'posted' && <UndoAction adjustment={adjustment} />}
    >
      {status === 'pending' && <p className="notice waiting">{t.waits}</p>}
      <Details
        rows={[
          [fields.reason, adjustment.reason],
          [t.direction, t.directions[adjustment.direction]],
          [fields.account, <IdLink key="account" id={adjustment.account_id} />],
          [fields.reference, reference && <Copyable value={reference} />],
          [t.createdBy, <UserLink key="admin" id={adjustment.created_by} />],
          [
            t.approval,
            approval_id && (oversight ? <IdLink id={approval_id} /> : <Copyable value={approval_id} />),
          ],
          [fields.id, <Copyable key="id" value={id} />],
          [fields.created, time(adjustment.created_at)],
          [fields.updated, time(adjustment.updated_at)],
        ]}
      />
      <History objectId={id} />
    </Page>
  );
}

function UndoAction({ adjustment }: { readonly adjustment: Adjustment }) {
  const { adjustments: t } = useMessages();
  const { manage } = useMayAct();
  const { account_id, amount, currency, direction } = adjustment;
  const account = useListedAccount(account_id);
  return (
    <Actions
      actions={[
        {
          name: 'undo',
          label: t.undo,
          ...manage,
          dialog: (close) => (
            <AdjustDialog
              accountId={account_id}
              about={account && aboutPerson(account)}
              currency={currency}
              amount={amount}
              directions={[direction === 'credit' ? 'debit' : 'credit']}
              text={t.undoText}
              onClose={close}
            />
          ),
        },
      ]}
    />
  );
}
