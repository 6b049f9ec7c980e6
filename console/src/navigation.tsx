import { Link, useLocation } from 'wouter';
import { useWaitingApprovals } from './api/approvals';
import { useFormats } from './i18n/formats';
import { format, useMessages } from './i18n/i18n';
import { isDashboard } from './place';
import { useMayAct } from './session/use-may-act';
import { useMaySee } from './session/use-session';

/** What only those see who may see who did what; in the dashboard, what only the owner sees. */
const hidden: readonly string[] = isDashboard ? ['people', 'keys'] : ['approvals', 'audit', 'keys'];

/** The lists of the console, by what one looks for. */
const ofConsole = [
  {
    name: 'money',
    places: ['transactions', 'transfers', 'payments', 'subscriptions', 'unapplied', 'adjustments'],
  },
  { name: 'customers', places: ['accounts', 'users'] },
  { name: 'oversight', places: ['approvals', 'audit'] },
  { name: 'integrations', places: ['events', 'webhooks', 'deliveries', 'keys', 'requests'] },
] as const;

/** The pages of the dashboard. */
const ofDashboard = [
  { name: 'money', places: ['payments', 'subscriptions', 'transactions', 'transfers', 'statements'] },
  { name: 'account', places: ['people', 'settings'] },
  { name: 'integrations', places: ['keys', 'webhooks', 'events', 'requests'] },
] as const;

const groups = isDashboard ? ofDashboard : ofConsole;

/** What the pages are called. */
function useLabels() {
  const { nav, account, apiKeys, dashboard, people } = useMessages();
  const labels = {
    ...nav,
    people: people.title,
    settings: dashboard.settings,
    statements: account.statements,
  };
  return { ...labels, ...(isDashboard && { keys: apiKeys.title }) };
}

export function Navigation({ isOpen }: { readonly isOpen: boolean }) {
  const t = useMessages();
  const { zone } = useFormats();
  const [location] = useLocation();
  const labels = useLabels();
  const { oversight } = useMaySee();
  const { revoke } = useMayAct();
  const seesAll = isDashboard ? revoke.isAllowed : oversight;
  const shown = groups
    .map(({ name, places }) => ({
      name,
      places: places.filter((page) => seesAll || !hidden.includes(page)),
    }))
    .filter(({ places }) => places.length > 0);
  return (
    <nav className={isOpen ? 'side open' : 'side'} aria-label={t.nav.label}>
      <p className="brand">{t.product}</p>
      <Link href="/" aria-current={location === '/' ? 'page' : undefined}>
        {t.nav.overview}
      </Link>
      {shown.map(({ name: group, places }) => (
        <div key={group} role="group" aria-labelledby={`nav-${group}`}>
          <p id={`nav-${group}`} className="group soft">
            {t.nav.groups[group]}
          </p>
          {places.map((name) => (
            <Link
              key={name}
              href={`/${name}`}
              aria-current={location.startsWith(`/${name}`) ? 'page' : undefined}
            >
              {labels[name]}
              {name === 'approvals' && <WaitingApprovals />}
            </Link>
          ))}
        </div>
      ))}
      <p className="zone soft">{format(t.nav.times, { zone })}</p>
    </nav>
  );
}

function WaitingApprovals() {
  const { approvals: t } = useMessages();
  const { number } = useFormats();
  const length = useWaitingApprovals()?.length ?? 0;
  if (length === 0) return null;
  const count = length === 100 ? `${number(99)}+` : number(length);
  return (
    <>
      <span className="hidden">, {format(t.waiting, { count })}</span>
      <span className="count" aria-hidden="true">
        {count}
      </span>
    </>
  );
}
