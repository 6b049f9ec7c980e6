import { Route, Switch } from 'wouter';
import { Absent } from './absent';
import { useAccount } from './api/account';
import HomePage from './pages/home-page';
import { TransactionPage } from './pages/transaction-page';
import { TransactionsPage } from './pages/transactions-page';
import { useOwnAccountId } from './session/use-session';
import { lazyPage } from './ui/page-boundary';
import { Failure, Loading } from './ui/states';

const SearchPage = lazyPage(() => import('./pages/search-page'));
const TransfersPage = lazyPage(() => import('./pages/transfers-page'));
const TransferPage = lazyPage(() => import('./pages/transfer-page'));
const PaymentsPage = lazyPage(() => import('./pages/payments-page'));
const PaymentPage = lazyPage(() => import('./pages/payment-page'));
const SubscriptionsPage = lazyPage(() => import('./pages/subscriptions-page'));
const SubscriptionPage = lazyPage(() => import('./pages/subscription-page'));
const StatementsPage = lazyPage(() => import('./pages/statements-page'));
const PeoplePage = lazyPage(() => import('./pages/people-page'));
const SettingsPage = lazyPage(() => import('./pages/settings-page'));
const EventsPage = lazyPage(() => import('./pages/events-page'));
const EventPage = lazyPage(() => import('./pages/event-page'));
const WebhooksPage = lazyPage(() => import('./pages/webhooks-page'));
const WebhookPage = lazyPage(() => import('./pages/webhook-page'));
const KeysPage = lazyPage(() => import('./pages/keys-page'));
const RequestsPage = lazyPage(() => import('./pages/requests-page'));
const YouPage = lazyPage(() => import('./pages/you-page'));

/** The pages of one account. */
export default function DashboardPages() {
  const { data: account, error, refetch } = useAccount(useOwnAccountId());
  if (!account) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  return (
    <Switch>
      <Route path="/">
        <HomePage account={account} />
      </Route>
      <Route path="/transactions" component={TransactionsPage} />
      <Route path="/transactions/:id">{({ id }) => <TransactionPage key={id} id={id} />}</Route>
      <Route path="/transfers" component={TransfersPage} />
      <Route path="/transfers/:id">{({ id }) => <TransferPage key={id} id={id} />}</Route>
      <Route path="/payments" component={PaymentsPage} />
      <Route path="/payments/:id">{({ id }) => <PaymentPage key={id} id={id} />}</Route>
      <Route path="/subscriptions">
        <SubscriptionsPage account={account} />
      </Route>
      <Route path="/subscriptions/:id">{({ id }) => <SubscriptionPage key={id} id={id} />}</Route>
      <Route path="/statements">
        <StatementsPage account={account} />
      </Route>
      <Route path="/people">
        <PeoplePage account={account} />
      </Route>
      <Route path="/settings">
        <SettingsPage account={account} />
      </Route>
      <Route path="/events" component={EventsPage} />
      <Route path="/events/:id">{({ id }) => <EventPage key={id} id={id} />}</Route>
      <Route path="/webhooks" component={WebhooksPage} />
      <Route path="/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
      <Route path="/keys" component={KeysPage} />
      <Route path="/requests" component={RequestsPage} />
      <Route path="/search" component={SearchPage} />
      <Route path="/you" component={YouPage} />
      <Route component={Absent} />
    </Switch>
  );
}
