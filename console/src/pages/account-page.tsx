import { useSearchParams } from 'wouter';
import { useAccount } from '../api/account';
import type { Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { textFor, useMessages } from '../i18n/i18n';
import { useMaySee } from '../session/use-session';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { Notes } from '../ui/notes';
import { Page } from '../ui/page';
import { Failure, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { Tabs } from '../ui/tabs';
import { AccountActions } from './account-actions';
import { AccountEntries } from './account-entries';
import { AccountExport } from './account-export';
import { AdjustmentsTable } from './adjustments-table';
import { AccountPeople } from './account-people';
import { AuditList } from './audit-table';
import { BalanceFigures } from './balance-figures';
import { EventsTable } from './events-table';
import { KeysTable } from './keys-table';
import { PaymentsTable } from './payments-table';
import { Sessions } from './sessions';
import { StatusReason } from './status-reason';
import { Statements } from './statements';
import { SubscriptionsTable } from './subscriptions-table';
import { TransactionsTable } from './transactions-table';
import { TransfersTable } from './transfers-table';
import { WaitingApprovals } from './waiting-approvals';
import { WebhooksTable } from './webhooks-table';

type Account = Schemas['AccountResponse'];
type Tab = (typeof tabs)[number] | (typeof moreTabs)[number];

const tabs = [
  'entries',
  'transactions',
  'transfers',
  'payments',
  'people',
  'audit',
  'subscriptions',
  'statements',
] as const;
const moreTabs = ['adjustments', 'keys', 'webhooks', 'sessions', 'notes', 'events'] as const;
/** What only those see who may see who did what. */
const overseen: readonly Tab[] = ['keys', 'sessions', 'notes', 'audit'];

export default function AccountPage({ id }: { readonly id: string }) {
  const t = useMessages();
  const query = useAccount(id);
  if (query.data) return <Shown account={query.data} />;
  return (
    <Page title={t.account.title} back={{ to: '/accounts', text: t.nav.accounts }}>
      {query.isError ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading />}
    </Page>
  );
}

function Shown({ account }: { readonly account: Account }) {
  const t = useMessages();
  const { time } = useFormats();
  const [params] = useSearchParams();
  const { id, name, status, settings } = account;
  const { oversight } = useMaySee();
  const isSeen = (tab: Tab): boolean => oversight || !overseen.includes(tab);
  const [names, more] = [tabs.filter(isSeen), moreTabs.filter(isSeen)];
  const shown = [...names, ...more].find((tab) => tab === params.get('tab')) ?? 'entries';
  const labels = {
    ...t.nav,
    entries: t.account.entries,
    statements: t.account.statements,
    people: t.people.title,
    keys: t.apiKeys.title,
    sessions: t.user.sessions,
    notes: t.notes.title,
  };
  return (
    <Page
      title={name}
      heading={
        <>
          <span>{name}</span> <Status value={status} />
        </>
      }
      back={{ to: '/accounts', text: t.nav.accounts }}
      aside={<AccountActions account={account} />}
    >
      <StatusReason kind="account" id={id} status={status} />
      <WaitingApprovals objectId={id} />
      <BalanceFigures accountId={id} />
      <Details
        rows={[
          [t.fields.id, <Copyable key="id" value={id} />],
          [t.fields.email, <Copyable key="email" value={account.email} />],
          [t.fields.type, textFor(t.types, account.type)],
          [t.fields.currency, settings.currency],
          [t.fields.timezone, settings.timezone],
          [t.fields.created, time(account.created_at)],
        ]}
      />
      <Tabs<Tab>
        label={name}
        names={names}
        more={more}
        shown={shown}
        labels={labels}
        hrefOf={(tab) => `/accounts/${id}?tab=${tab}`}
      />
      <AccountExport tab={shown} accountId={id} />
      {shown === 'entries' && <AccountEntries accountId={id} since={account.created_at} />}
      {shown === 'transactions' && (
        <TransactionsTable filter={{ account_id: id }} hasFilters={false} isOfAccount />
      )}
      {shown === 'transfers' && <TransfersTable filter={{ account_id: id }} hasFilters={false} isOfAccount />}
      {shown === 'payments' && <PaymentsTable filter={{ account_id: id }} hasFilters={false} isOfAccount />}
      {shown === 'adjustments' && (
        <AdjustmentsTable filter={{ account_id: id }} hasFilters={false} isOfAccount />
      )}
      {shown === 'subscriptions' && (
        <SubscriptionsTable filter={{ account_id: id }} hasFilters={false} isOfAccount />
      )}
      {shown === 'statements' && <Statements account={account} />}
      {shown === 'people' && <AccountPeople account={account} />}
      {shown === 'keys' && <KeysTable accountId={id} />}
      {shown === 'webhooks' && <WebhooksTable filter={{ account_id: id }} hasFilters={false} isOfAccount />}
      {shown === 'sessions' && <Sessions subjectId={id} />}
      {shown === 'notes' && <Notes objectId={id} />}
      {shown === 'events' && <EventsTable filter={{ account_id: id }} hasFilters={false} isOfAccount />}
      {shown === 'audit' && <AuditList of={{ account_id: id }} />}
    </Page>
  );
}
