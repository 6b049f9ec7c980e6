import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { type Action, Actions } from '../ui/actions';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { History } from '../ui/history';
import { IdLink } from '../ui/id-link';
import { Metadata } from '../ui/metadata';
import { Page } from '../ui/page';
import { useListPages } from '../ui/resource-list';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { changeOfBalance, useAboutSum } from './about';
import { useCancelAction } from './cancel-action';
import { EditTransactionDialog } from './edit-transaction-dialog';
import { useRefundAction } from './refund-action';
import { FailDialog, SettleDialog } from './transaction-actions';
import { TransactionsTable, useTransactionList } from './transactions-table';
import { WaitingApprovals } from './waiting-approvals';

type Transaction = Schemas['RetrievedTransactionResponse'];

export function TransactionPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useQuery({
    queryKey: ['transaction', id],
    queryFn: ({ signal }) =>
      api.get('/v1/transactions/{transaction_id}', {
        params: { path: { transaction_id: id } },
        signal,
      }),
    refetchInterval: REFRESH_MS,
  });
  if (query.data) return <Shown transaction={query.data} />;
  return (
    <Page title={t.transaction.title} back={{ to: '/transactions', text: t.nav.transactions }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ transaction }: { readonly transaction: Transaction }) {
  const t = useMessages();
  const { money, time } = useFormats();
  const { id, amount, currency, status, type, refunded_amount } = transaction;
  const isPaid = type === 'payment' && status === 'succeeded';
  return (
    <Page
      title={`${t.transaction.title} ${money(amount, currency)}`}
      heading={
        <>
          <span className="amount">{money(changeOfBalance(transaction), currency)}</span>{' '}
          <Status value={status} />
          {refunded_amount ? (
            <>
              {' '}
              <Status value={refunded_amount < amount ? 'partly_refunded' : 'refunded'} />
            </>
          ) : null}
        </>
      }
      back={{ to: '/transactions', text: t.nav.transactions }}
      aside={<TransactionActions transaction={transaction} />}
    >
      {transaction.failure_reason !== undefined && (
        <p className="problem">
          <strong>{t.fields.failure}:</strong> {transaction.failure_reason}
        </p>
      )}
      <WaitingApprovals objectId={id} />
      <Details
        rows={[
          [t.fields.id, <Copyable key="id" value={id} />],
          [t.fields.type, textFor(t.types, type)],
          [t.fields.account, !isDashboard && <IdLink id={transaction.account_id} />],
          [t.fields.reference, transaction.reference && <Copyable value={transaction.reference} />],
          [
            t.fields.paymentRequest,
            transaction.payment_request_id && <IdLink id={transaction.payment_request_id} />,
          ],
          [
            t.fields.source,
            transaction.source_transaction_id && <IdLink id={transaction.source_transaction_id} />,
          ],
          [t.fields.refunded, refunded_amount && money(refunded_amount, currency)],
          [t.fields.left, refunded_amount && money(amount - refunded_amount, currency)],
          [t.fields.created, time(transaction.created_at)],
          [t.fields.updated, time(transaction.updated_at)],
          [t.fields.metadata, <Metadata key="metadata" value={transaction.metadata} />],
        ]}
      />
      {isPaid ? <Refunds of={transaction} /> : <History objectId={id} />}
    </Page>
  );
}

function TransactionActions({ transaction }: { readonly transaction: Transaction }) {
  const { actions, edit: editing, transaction: t } = useMessages();
  const { operate } = useMayAct();
  const about = useAboutSum()(transaction);
  const cancel = useCancelAction({ about, ...t.cancel }, () =>
    api.delete('/v1/transactions/{transaction_id}', { params: { path: { transaction_id: transaction.id } } }),
  );
  const refund = useRefundAction(transaction);
  const edit: Action = {
    name: 'edit',
    label: editing.account,
    ...operate,
    dialog: (close) => <EditTransactionDialog transaction={transaction} onClose={close} />,
  };
  const outcomes: Action[] = [
    {
      name: 'settle',
      label: actions.settle,
      ...operate,
      dialog: (close) => <SettleDialog transaction={transaction} onClose={close} />,
    },
    {
      name: 'fail',
      label: actions.fail,
      ...operate,
      isDangerous: true,
      dialog: (close) => <FailDialog transaction={transaction} onClose={close} />,
    },
  ];
  const { status, type } = transaction;
  if (status === 'pending')
    return <Actions actions={isDashboard ? [edit, cancel] : [...outcomes, edit, cancel]} />;
  return <Actions actions={status === 'succeeded' && type === 'payment' ? [refund, edit] : [edit]} />;
}

/** The refunds that name a payment, also those that failed, in a list and in its history. */
function Refunds({ of: { id, account_id } }: { readonly of: Transaction }) {
  const { statuses, transaction: t, types } = useMessages();
  const { money } = useFormats();
  const filter = { account_id, source_transaction_id: id };
  const pages = useListPages(useTransactionList(filter)).data?.pages ?? [];
  const refunds = pages
    .flatMap(({ items }) => items)
    .map((refund) => ({
      id: refund.id,
      at: refund.created_at,
      text: `${types.refund} ${money(changeOfBalance(refund), refund.currency)}, ${textFor(statuses, refund.status)}`,
    }));
  return (
    <>
      <section aria-labelledby="refunds">
        <h2 id="refunds">{t.refund.title}</h2>
        <TransactionsTable filter={filter} label={t.refund.title} hasFilters={false} isOfAccount />
      </section>
      <History objectId={id} others={refunds} />
    </>
  );
}
