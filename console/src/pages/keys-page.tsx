import { useState } from 'react';
import { downloadList } from '../api/download';
import { useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-session';
import { Actions } from '../ui/actions';
import { Copyable } from '../ui/copy';
import { ExportButton } from '../ui/export-button';
import { Page } from '../ui/page';
import { CreateKeyDialog } from './create-key-dialog';
import { KeysTable } from './keys-table';

/** The keys of the platform. Those of an account are on its page. */
export default function KeysPage() {
  const { apiKeys: t, nav } = useMessages();
  const { manage } = useMayAct();
  const [made, setMade] = useState<string | null>(null);
  return (
    <Page
      title={nav.keys}
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
          <ExportButton name="platform-keys" save={(file) => downloadList('/v1/api-keys', {}, file)} />
        </div>
      }
    >
      <p className="soft intro">{t.ofPlatform}</p>
      {made !== null && (
        <section className="effect" aria-labelledby="made">
          <h2 id="made">{t.made}</h2>
          <p>{t.madeText}</p>
          <Copyable value={made} />
        </section>
      )}
      <KeysTable />
    </Page>
  );
}
