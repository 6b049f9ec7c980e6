import { useQuery } from '@tanstack/react-query';
import { accountPath } from '../api/account';
import { api, REFRESH_MS, type Schemas } from '../api/client';
import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-may-act';
import { useOwnAccountId } from '../session/use-session';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Page } from '../ui/page';
import { Status } from '../ui/status';
import { type Waiting, Waits } from '../ui/waits';
import { useListPages } from '../ui/resource-list';
import { AccountEntries, useEntries, useEntriesPeriod } from './account-entries';
import { BalanceFigures } from './balance-figures';
import { CreatePaymentDialog, CreateTransferDialog } from './create-dialogs';

interface HomePageProps {
  /** Undefined until it is there. What it holds is read at the same time. */
  readonly account: Schemas['AccountResponse'] | undefined;
}

/** The first page of the dashboard: what the account holds, what waits, and its entries. */
export default function HomePage({ account }: HomePageProps) {
  const { account: t, create, dashboard, list } = useMessages();
  const { operate, send } = useMayAct();
  const id = useOwnAccountId()!;
  const { name = list.loading, status, created_at } = account ?? {};
  const period = useEntriesPeriod();
  const waiting = useWaiting();
  useListPages(useEntries(id)); // read beside what waits, and shown below it
  return (
    <Page
      title={name}
      heading={
        <>
          <span>{name}</span> {status && <Status value={status} />}
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
      {waiting !== undefined && (
        <section aria-labelledby="entries">
          <div className="heading">
            <h2 id="entries">{t.entries}</h2>
            <ExportButton
              name={`entries-${id}`}
              save={(file) => downloadList(`${accountPath(id)}/entries`, period, file)}
            />
          </div>
          <AccountEntries accountId={id} since={created_at ?? new Date().toISOString()} />
        </section>
      )}
    </Page>
  );
}

/** How many of a list are counted: what the shortest statement of a page reads. */
const MAX_COUNTED = 20;

/** What waits changes slowly, and is read again after each action anyway. */
const COUNTED_EVERY_MS = 4 * REFRESH_MS;

/** What is not done: unpaid requests, pending transactions, and endpoints to which nothing is delivered; undefined until it is known, and null if that fails. */
function useWaiting(): Waiting[] | null | undefined {
  const { data, isPending } = useQuery({
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
  if (data === undefined) return isPending ? undefined : null;
  const { transactions, payments, failing, disabled } = data;
  return [
    { name: 'payments', list: payments, to: '/payments?status=pending' } as const,
    { name: 'transactions', list: transactions, to: '/transactions?status=pending' } as const,
    { name: 'failing', list: failing, to: '/webhooks?status=failing' } as const,
    { name: 'disabled', list: disabled, to: '/webhooks?status=disabled' } as const,
  ].map(({ name, list, to }) => ({ name, count: list.data.length, hasMore: list.has_more, to }));
}
