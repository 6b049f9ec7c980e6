import { Route } from 'wouter';
import PaymentsPage from './pages/payments-page';
import SubscriptionsPage from './pages/subscriptions-page';
import { TransactionPage } from './pages/transaction-page';
import { TransactionsPage } from './pages/transactions-page';
import TransfersPage from './pages/transfers-page';
import { lazyPage } from './ui/page-boundary';

const SearchPage = lazyPage(() => import('./pages/search-page'));
const TransferPage = lazyPage(() => import('./pages/transfer-page'));
const PaymentPage = lazyPage(() => import('./pages/payment-page'));
const SubscriptionPage = lazyPage(() => import('./pages/subscription-page'));
const EventsPage = lazyPage(() => import('./pages/events-page'));
const EventPage = lazyPage(() => import('./pages/event-page'));
const WebhooksPage = lazyPage(() => import('./pages/webhooks-page'));
const WebhookPage = lazyPage(() => import('./pages/webhook-page'));
const RequestsPage = lazyPage(() => import('./pages/requests-page'));
const YouPage = lazyPage(() => import('./pages/you-page'));

/** The pages that the console and the dashboard have in common, for a `Switch`. */
export const sharedPages = (
  <>
    <Route path="/transactions" component={TransactionsPage} />
    <Route path="/transactions/:id">{({ id }) => <TransactionPage key={id} id={id} />}</Route>
    <Route path="/transfers" component={TransfersPage} />
    <Route path="/transfers/:id">{({ id }) => <TransferPage key={id} id={id} />}</Route>
    <Route path="/payments" component={PaymentsPage} />
    <Route path="/payments/:id">{({ id }) => <PaymentPage key={id} id={id} />}</Route>
    <Route path="/subscriptions" component={SubscriptionsPage} />
    <Route path="/subscriptions/:id">{({ id }) => <SubscriptionPage key={id} id={id} />}</Route>
    <Route path="/events" component={EventsPage} />
    <Route path="/events/:id">{({ id }) => <EventPage key={id} id={id} />}</Route>
    <Route path="/webhooks" component={WebhooksPage} />
    <Route path="/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
    <Route path="/requests" component={RequestsPage} />
    <Route path="/search" component={SearchPage} />
    <Route path="/you" component={YouPage} />
  </>
);
