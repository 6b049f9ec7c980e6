import { Route, Switch } from 'wouter';
import { Absent } from './absent';
import { useAccount } from './api/account';
import HomePage from './pages/home-page';
import { Notices } from './pages/notices';
import { useMayAct } from './session/use-may-act';
import { useOwnAccountId } from './session/use-session';
import { sharedPages } from './shared-pages';
import { lazyPage } from './ui/page-boundary';
import { Failure, Loading } from './ui/states';

const StatementsPage = lazyPage(() => import('./pages/statements-page'));
const PeoplePage = lazyPage(() => import('./pages/people-page'));
const SettingsPage = lazyPage(() => import('./pages/settings-page'));
const KeysPage = lazyPage(() => import('./pages/keys-page'));

/** The pages of one account. */
export default function DashboardPages() {
  const { data: account, error, refetch } = useAccount(useOwnAccountId());
  const isOwner = useMayAct().revoke.isAllowed;
  if (!account) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  return (
    <>
      <Notices account={account} />
      <Switch>
        {sharedPages}
        <Route path="/">
          <HomePage account={account} />
        </Route>
        <Route path="/statements">
          <StatementsPage account={account} />
        </Route>
        {isOwner && (
          <Route path="/people">
            <PeoplePage account={account} />
          </Route>
        )}
        <Route path="/settings">
          <SettingsPage account={account} />
        </Route>
        {isOwner && <Route path="/keys" component={KeysPage} />}
        <Route component={Absent} />
      </Switch>
    </>
  );
}
