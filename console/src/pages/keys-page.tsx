import { useState } from 'react';
import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { ExportButton } from '../ui/export-button';
import { Page } from '../ui/page';
import { ShownOnce } from '../ui/shown-once';
import { CreateKeyDialog } from './create-key-dialog';
import { KeysTable } from './keys-table';

/** The keys of the platform; in the dashboard those of the account. */
export default function KeysPage() {
  const { apiKeys: t, dashboard, nav } = useMessages();
  const { manage } = useMayAct();
  const [made, setMade] = useState<string | null>(null);
  return (
    <Page
      title={isDashboard ? t.title : nav.keys}
      aside={
        <div className="actions">
          <Actions
            actions={[
              {
                name: 'create',
                label: t.create,
                ...manage,
                dialog: (close) => <CreateKeyDialog onMade={setMade} onClose={close} />,
              },
            ]}
          />
          <ExportButton
            name={isDashboard ? 'api-keys' : 'platform-keys'}
            save={(file) => downloadList('/v1/api-keys', {}, file)}
          />
        </div>
      }
    >
      <p className="soft intro">{isDashboard ? dashboard.keys.text : t.ofPlatform}</p>
      {made !== null && <ShownOnce title={t.made} text={t.madeText} value={made} />}
      <KeysTable />
    </Page>
  );
}
