import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS } from '../api/client';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { useMaySee, useOwnAccountId } from '../session/use-session';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { History } from '../ui/history';
import { IdLink } from '../ui/id-link';
import { Metadata } from '../ui/metadata';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { TransferActions } from './transfer-actions';
import { PartsTable } from './parts-table';
import { Receiver, type Transfer, TransfersTable } from './transfers-table';
import { WaitingApprovals } from './waiting-approvals';

export default function TransferPage({ id }: { readonly id: string }) {
  const { nav, search } = useMessages();
  const query = useQuery({
    queryKey: ['transfer', id],
    queryFn: ({ signal }) =>
      api.get('/v1/transfers/{transfer_id}', { params: { path: { transfer_id: id } }, signal }),
    refetchInterval: REFRESH_MS,
  });
  if (query.data) return <Shown transfer={query.data} />;
  return (
    <Page title={search.types.transfer} back={{ to: '/transfers', text: nav.transfers }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

/** A transfer as the account sees it that gives, and in the dashboard as its own account sees it. */
function Shown({ transfer }: { readonly transfer: Transfer }) {
  const { nav, search, fields, adjustments, transfer: t } = useMessages();
  const { money, time } = useFormats();
  const { oversight } = useMaySee();
  const own = useOwnAccountId();
  const { id, currency, status, to, reference, reversal_of, approval_id, expires_at } = transfer;
  const amount = money(transfer.amount, currency);
  const { released_amount: released, reversed_amount: reversed, source_transaction_id: source } = transfer;
  return (
    <Page
      title={`${search.types.transfer} ${amount}`}
      heading={
        <>
          <span className="amount">{amount}</span> <Status value={status} />
        </>
      }
      back={{ to: '/transfers', text: nav.transfers }}
      aside={<TransferActions transfer={transfer} />}
    >
      <WaitingApprovals objectId={id} />
      <Details
        rows={[
          [fields.id, <Copyable key="id" value={id} />],
          [
            fields.giver,
            <IdLink key="giver" id={transfer.from_account_id} name={transfer.from_account_name} />,
          ],
          [fields.receiver, to.length === 1 ? <Receiver part={to[0]!} /> : null],
          [fields.reference, reference && <Copyable value={reference} />],
          [t.released, released && money(released, currency)],
          [t.reversed, reversed && money(reversed, currency)],
          [t.left, reversed && money(transfer.amount - reversed, currency)],
          [t.reversalOf, reversal_of && <IdLink id={reversal_of} />],
          [fields.transaction, source && <IdLink id={source} />],
          [
            adjustments.approval,
            approval_id && (oversight ? <IdLink id={approval_id} /> : <Copyable value={approval_id} />),
          ],
          [fields.created, time(transfer.created_at)],
          [fields.updated, time(transfer.updated_at)],
          [fields.expires, expires_at && time(expires_at)],
          [fields.metadata, <Metadata key="metadata" value={transfer.metadata} />],
        ]}
      />
      {to.length > 1 && (
        <PartsTable
          title={t.parts}
          parts={to}
          currency={currency}
          note={{ header: fields.reference, of: (part) => part.reference }}
        />
      )}
      {reversed !== undefined && (
        <section aria-labelledby="reversals">
          <h2 id="reversals">{t.reversals}</h2>
          <TransfersTable filter={{ reversal_of: id }} label={t.reversals} hasFilters={false} />
        </section>
      )}
      <History objectId={id} accountId={own ?? transfer.from_account_id} />
    </Page>
  );
}
