import { Route, Switch } from 'wouter';
import { Absent } from './absent';
import { OverviewPage } from './pages/overview-page';
import { TransactionPage } from './pages/transaction-page';
import { TransactionsPage } from './pages/transactions-page';
import { lazyPage } from './ui/page-boundary';

const SearchPage = lazyPage(() => import('./pages/search-page'));
const TransfersPage = lazyPage(() => import('./pages/transfers-page'));
const TransferPage = lazyPage(() => import('./pages/transfer-page'));
const PaymentsPage = lazyPage(() => import('./pages/payments-page'));
const PaymentPage = lazyPage(() => import('./pages/payment-page'));
const AccountsPage = lazyPage(() => import('./pages/accounts-page'));
const AccountPage = lazyPage(() => import('./pages/account-page'));
const UsersPage = lazyPage(() => import('./pages/users-page'));
const UserPage = lazyPage(() => import('./pages/user-page'));
const SubscriptionPage = lazyPage(() => import('./pages/subscription-page'));
const UnappliedPaymentPage = lazyPage(() => import('./pages/unapplied-payment-page'));
const UnappliedPage = lazyPage(() => import('./pages/unapplied-page'));
const AdjustmentsPage = lazyPage(() => import('./pages/adjustments-page'));
const AdjustmentPage = lazyPage(() => import('./pages/adjustment-page'));
const ApprovalsPage = lazyPage(() => import('./pages/approvals-page'));
const ApprovalPage = lazyPage(() => import('./pages/approval-page'));
const EventsPage = lazyPage(() => import('./pages/events-page'));
const EventPage = lazyPage(() => import('./pages/event-page'));
const WebhooksPage = lazyPage(() => import('./pages/webhooks-page'));
const WebhookPage = lazyPage(() => import('./pages/webhook-page'));
const DeliveriesPage = lazyPage(() => import('./pages/deliveries-page'));
const KeysPage = lazyPage(() => import('./pages/keys-page'));
const AuditEntryPage = lazyPage(() => import('./pages/audit-entry-page'));
const AuditPage = lazyPage(() => import('./pages/audit-page'));
const RequestsPage = lazyPage(() => import('./pages/requests-page'));
const YouPage = lazyPage(() => import('./pages/you-page'));

/** The pages of the back office. */
export function ConsolePages() {
  return (
    <Switch>
      <Route path="/" component={OverviewPage} />
      <Route path="/transactions" component={TransactionsPage} />
      <Route path="/transactions/:id">{({ id }) => <TransactionPage key={id} id={id} />}</Route>
      <Route path="/transfers" component={TransfersPage} />
      <Route path="/transfers/:id">{({ id }) => <TransferPage key={id} id={id} />}</Route>
      <Route path="/payments" component={PaymentsPage} />
      <Route path="/payments/:id">{({ id }) => <PaymentPage key={id} id={id} />}</Route>
      <Route path="/accounts" component={AccountsPage} />
      <Route path="/accounts/:id">{({ id }) => <AccountPage key={id} id={id} />}</Route>
      <Route path="/users" component={UsersPage} />
      <Route path="/users/:id">{({ id }) => <UserPage key={id} id={id} />}</Route>
      <Route path="/subscriptions/:id">{({ id }) => <SubscriptionPage key={id} id={id} />}</Route>
      <Route path="/unapplied" component={UnappliedPage} />
      <Route path="/adjustments" component={AdjustmentsPage} />
      <Route path="/adjustments/:id">{({ id }) => <AdjustmentPage key={id} id={id} />}</Route>
      <Route path="/approvals" component={ApprovalsPage} />
      <Route path="/approvals/:id">{({ id }) => <ApprovalPage key={id} id={id} />}</Route>
      <Route path="/events" component={EventsPage} />
      <Route path="/events/:id">{({ id }) => <EventPage key={id} id={id} />}</Route>
      <Route path="/webhooks" component={WebhooksPage} />
      <Route path="/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
      <Route path="/deliveries" component={DeliveriesPage} />
      <Route path="/keys" component={KeysPage} />
      <Route path="/requests" component={RequestsPage} />
      <Route path="/you" component={YouPage} />
      <Route path="/unapplied/:id">{({ id }) => <UnappliedPaymentPage key={id} id={id} />}</Route>
      <Route path="/audit" component={AuditPage} />
      <Route path="/audit/:id">{({ id }) => <AuditEntryPage key={id} id={id} />}</Route>
      <Route path="/search" component={SearchPage} />
      <Route>
        <Absent />
      </Route>
    </Switch>
  );
}
