import { useMessages } from '../i18n/i18n';
import { Page } from '../ui/page';
import type { OwnAccountProps } from './own-account';
import { Statements } from './statements';

export default function StatementsPage({ account }: OwnAccountProps) {
  const { account: t } = useMessages();
  return (
    <Page title={t.statements}>
      <Statements account={account} />
    </Page>
  );
}
