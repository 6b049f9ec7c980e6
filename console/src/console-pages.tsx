import { Route, Switch } from 'wouter';
import { Absent } from './absent';
import { OverviewPage } from './pages/overview-page';
import { sharedPages } from './shared-pages';
import { lazyPage } from './ui/page-boundary';

const AccountsPage = lazyPage(() => import('./pages/accounts-page'));
const AccountPage = lazyPage(() => import('./pages/account-page'));
const UsersPage = lazyPage(() => import('./pages/users-page'));
const UserPage = lazyPage(() => import('./pages/user-page'));
const UnappliedPaymentPage = lazyPage(() => import('./pages/unapplied-payment-page'));
const UnappliedPage = lazyPage(() => import('./pages/unapplied-page'));
const AdjustmentsPage = lazyPage(() => import('./pages/adjustments-page'));
const AdjustmentPage = lazyPage(() => import('./pages/adjustment-page'));
const ApprovalsPage = lazyPage(() => import('./pages/approvals-page'));
const ApprovalPage = lazyPage(() => import('./pages/approval-page'));
const DeliveriesPage = lazyPage(() => import('./pages/deliveries-page'));
const KeysPage = lazyPage(() => import('./pages/keys-page'));
const AuditEntryPage = lazyPage(() => import('./pages/audit-entry-page'));
const AuditPage = lazyPage(() => import('./pages/audit-page'));

/** The pages of the back office. */
export default function ConsolePages() {
  return (
    <Switch>
      {sharedPages}
      <Route path="/" component={OverviewPage} />
      <Route path="/accounts" component={AccountsPage} />
      <Route path="/accounts/:id">{({ id }) => <AccountPage key={id} id={id} />}</Route>
      <Route path="/users" component={UsersPage} />
      <Route path="/users/:id">{({ id }) => <UserPage key={id} id={id} />}</Route>
      <Route path="/unapplied" component={UnappliedPage} />
      <Route path="/adjustments" component={AdjustmentsPage} />
      <Route path="/adjustments/:id">{({ id }) => <AdjustmentPage key={id} id={id} />}</Route>
      <Route path="/approvals" component={ApprovalsPage} />
      <Route path="/approvals/:id">{({ id }) => <ApprovalPage key={id} id={id} />}</Route>
      <Route path="/deliveries" component={DeliveriesPage} />
      <Route path="/keys" component={KeysPage} />
      <Route path="/unapplied/:id">{({ id }) => <UnappliedPaymentPage key={id} id={id} />}</Route>
      <Route path="/audit" component={AuditPage} />
      <Route path="/audit/:id">{({ id }) => <AuditEntryPage key={id} id={id} />}</Route>
      <Route>
        <Absent />
      </Route>
    </Switch>
  );
}
