import { useMessages } from '../i18n/i18n';
import { Page } from '../ui/page';
import { AccountPeople } from './account-people';
import type { OwnAccountProps } from './own-account';

/** Who signs in for the account of the dashboard. */
export default function PeoplePage({ account }: OwnAccountProps) {
  const { people, dashboard } = useMessages();
  return (
    <Page title={people.title}>
      <p className="soft intro">{dashboard.people.text}</p>
      <AccountPeople account={account} />
    </Page>
  );
}
