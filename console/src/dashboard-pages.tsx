import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Absent } from './absent';
import { useAccount } from './api/account';
import type { Schemas } from './api/client';
import HomePage from './pages/home-page';
import { Notices } from './pages/notices';
import PeoplePage from './pages/people-page';
import SettingsPage from './pages/settings-page';
import StatementsPage from './pages/statements-page';
import { useMayAct } from './session/use-may-act';
import { useOwnAccountId } from './session/use-session';
import { sharedPages } from './shared-pages';
import { lazyPage } from './ui/page-boundary';
import { Failure, Loading } from './ui/states';

const KeysPage = lazyPage(() => import('./pages/keys-page'));

/** The pages of one account. Those that need not wait for it read what they show at the same time. */
export default function DashboardPages() {
  const { data: account, error, refetch } = useAccount(useOwnAccountId());
  const isOwner = useMayAct().revoke.isAllowed;
  if (!account && error) return <Failure error={error} retry={() => void refetch()} />;
  const withAccount = (show: (account: Schemas['AccountResponse']) => ReactNode): ReactNode =>
    account ? show(account) : <Loading />;
  return (
    <>
      {account && <Notices account={account} />}
      <Switch>
        {sharedPages}
        <Route path="/">
          <HomePage account={account} />
        </Route>
        <Route path="/statements">
          {withAccount((shown) => (
            <StatementsPage account={shown} />
          ))}
        </Route>
        {isOwner && (
          <Route path="/people">
            {withAccount((shown) => (
              <PeoplePage account={shown} />
            ))}
          </Route>
        )}
        <Route path="/settings">
          {withAccount((shown) => (
            <SettingsPage account={shown} />
          ))}
        </Route>
        {isOwner && <Route path="/keys" component={KeysPage} />}
        <Route component={Absent} />
      </Switch>
    </>
  );
}
