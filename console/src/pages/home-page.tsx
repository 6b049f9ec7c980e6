import { useQuery } from '@tanstack/react-query';
import { accountPath } from '../api/account';
import { api, REFRESH_MS } from '../api/client';
import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Page } from '../ui/page';
import { Status } from '../ui/status';
import { type Waiting, Waits } from '../ui/waits';
import { AccountEntries, useEntriesPeriod } from './account-entries';
import { BalanceFigures } from './balance-figures';
import { CreatePaymentDialog, CreateTransferDialog } from './create-dialogs';
import type { OwnAccountProps } from './own-account';

/** The first page of the dashboard: what the account holds, what waits, and its entries. */
export default function HomePage({ account }: OwnAccountProps) {
  const { account: t, create, dashboard } = useMessages();
  const { operate, send } = useMayAct();
  const { id, name, status } = account;
  const period = useEntriesPeriod();
  const waiting = useWaiting();
  return (
    <Page
      title={name}
      heading={
        <>
          <span>{name}</span> <Status value={status} />
        </>
      }
      aside={
        <Actions
          actions={[
            {
              name: 'payment',
              label: create.payment,
              ...operate,
              dialog: (close) => <CreatePaymentDialog accountId={id} onClose={close} />,
            },
            {
              name: 'transfer',
              label: dashboard.transfer.create,
              ...send,
              dialog: (close) => <CreateTransferDialog accountId={id} onClose={close} />,
            },
          ]}
        />
      }
    >
      <BalanceFigures accountId={id} />
      {waiting && <Waits title={dashboard.open} none={dashboard.nothingOpen} all={waiting} />}
      <section aria-labelledby="entries">
        <div className="heading">
          <h2 id="entries">{t.entries}</h2>
          <ExportButton
            name={`entries-${id}`}
            save={(file) => downloadList(`${accountPath(id)}/entries`, period, file)}
          />
        </div>
        <AccountEntries account={account} />
      </section>
    </Page>
  );
}

/** How many of a list are counted: what the shortest statement of a page reads. */
const MAX_COUNTED = 20;

/** What waits changes slowly, and is read again after each action anyway. */
const COUNTED_EVERY_MS = 4 * REFRESH_MS;

/** What is not done: unpaid requests, pending transactions, and endpoints to which nothing is delivered; undefined until it is known. */
function useWaiting(): Waiting[] | undefined {
  const { data } = useQuery({
    queryKey: ['waiting'],
    queryFn: async ({ signal }) => {
      const limit = MAX_COUNTED;
      const pending = { params: { query: { status: 'pending', limit } }, signal } as const;
      const ofStatus = (status: 'disabled' | 'failing') =>
        api.get('/v1/webhooks', { params: { query: { status, limit } }, signal });
      const [transactions, payments, failing, disabled] = await Promise.all([
        api.get('/v1/transactions', pending),
        api.get('/v1/payments', pending),
        ofStatus('failing'),
        ofStatus('disabled'),
      ]);
      return { transactions, payments, failing, disabled };
    },
    refetchInterval: COUNTED_EVERY_MS,
  });
  if (data === undefined) return undefined;
  const { transactions, payments, failing, disabled } = data;
  return [
    { name: 'payments', list: payments, to: '/payments?status=pending' } as const,
    { name: 'transactions', list: transactions, to: '/transactions?status=pending' } as const,
    { name: 'failing', list: failing, to: '/webhooks?status=failing' } as const,
    { name: 'disabled', list: disabled, to: '/webhooks?status=disabled' } as const,
  ].map(({ name, list, to }) => ({ name, count: list.data.length, hasMore: list.has_more, to }));
}
