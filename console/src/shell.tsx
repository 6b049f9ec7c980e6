import { Suspense, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Route, Switch, useLocation } from 'wouter';
import { Absent } from './absent';
import { ConnectionNotice } from './connection-notice';
import { format, useMessages } from './i18n/i18n';
import { Navigation } from './navigation';
import { OverviewPage } from './pages/overview-page';
import { TransactionPage } from './pages/transaction-page';
import { TransactionsPage } from './pages/transactions-page';
import { SearchField, TYPED } from './search-field';
import { useIdleSignOut } from './session/use-session';
import { session } from './session/session';
import { Icon } from './ui/icons';
import { lazyPage, PageBoundary } from './ui/page-boundary';
import { Loading } from './ui/states';
import { UserMenu } from './user-menu';

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

/** What is around every page: navigation, search and the session. */
export function Shell({ idleSeconds }: { readonly idleSeconds: number }) {
  const t = useMessages();
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const [shown, setShown] = useState(location);
  const secondsLeft = useIdleSignOut(idleSeconds);
  useEffect(() => {
    if (location === shown) return;
    setShown(location);
    setOpen(false);
    if (history.state !== TYPED) main.current?.focus({ preventScroll: true }); // readers begin with the new page
    scrollTo(0, 0);
  }, [location, shown]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t.nav.skip}
      </a>
      <header className="bar">
        <Button className="quiet menu-button" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          <Icon name="menu" />
          <span className="hidden">{t.nav.open}</span>
        </Button>
        <SearchField />
        <UserMenu />
      </header>
      <Navigation isOpen={isOpen} />
      <main id="content" ref={main} tabIndex={-1}>
        <ConnectionNotice />
        <PageBoundary key={location}>
          <Suspense fallback={<Loading />}>
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
              <Route path="/unapplied/:id">{({ id }) => <UnappliedPaymentPage key={id} id={id} />}</Route>
              <Route path="/audit" component={AuditPage} />
              <Route path="/audit/:id">{({ id }) => <AuditEntryPage key={id} id={id} />}</Route>
              <Route path="/search" component={SearchPage} />
              <Route>
                <Absent />
              </Route>
            </Switch>
          </Suspense>
        </PageBoundary>
      </main>
      {secondsLeft !== null && (
        <ModalOverlay className="overlay" isOpen>
          <Modal className="modal">
            <Dialog role="alertdialog">
              <Heading slot="title">{t.idle.title}</Heading>
              <p>{format(t.idle.text, { seconds: secondsLeft })}</p>
              <div className="buttons">
                <Button className="primary" autoFocus onPress={() => session.touch()}>
                  {t.idle.stay}
                </Button>
              </div>
            </Dialog>
          </Modal>
        </ModalOverlay>
      )}
    </div>
  );
}
