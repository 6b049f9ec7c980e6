import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { ExportButton } from '../ui/export-button';
import { Page } from '../ui/page';
import { KeysTable } from './keys-table';

/** The keys of the platform. Those of an account are on its page. */
export default function KeysPage() {
  const { apiKeys: t, nav } = useMessages();
  return (
    <Page
      title={nav.keys}
      aside={<ExportButton name="platform-keys" save={(file) => downloadList('/v1/api-keys', {}, file)} />}
    >
      <p className="soft intro">{t.ofPlatform}</p>
      <KeysTable />
    </Page>
  );
}
