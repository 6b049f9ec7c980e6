import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { languages, textFor, useMessages } from '../i18n/i18n';
import { useFormats } from '../i18n/formats';
import { useMayAct } from '../session/use-may-act';
import { Actions } from '../ui/actions';
import { Copyable } from '../ui/copy';
import { Details } from '../ui/details';
import { Page } from '../ui/page';
import { Status } from '../ui/status';
import { EditAccountDialog } from './edit-account-dialog';
import type { OwnAccountProps } from './own-account';
import { VersionDialog } from './version-dialog';

/** What the account of the dashboard is called and how it is set. */
export default function SettingsPage({ account }: OwnAccountProps) {
  const { dashboard: t, edit, fields, types } = useMessages();
  const { time } = useFormats();
  const { manage } = useMayAct();
  const { settings } = account;
  const { data: pinned } = useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => api.get('/v1/account/version', { signal }),
  });
  return (
    <Page
      title={t.settings}
      aside={
        <Actions
          actions={[
            {
              name: 'edit',
              label: edit.account,
              ...manage,
              dialog: (close) => <EditAccountDialog account={account} onClose={close} />,
            },
            ...(pinned === undefined
              ? []
              : [
                  {
                    name: 'version',
                    label: t.version.change,
                    ...manage,
                    dialog: (close: () => void) => (
                      <VersionDialog pinned={pinned} about={account.name} onClose={close} />
                    ),
                  },
                ]),
          ]}
        />
      }
    >
      <Details
        rows={[
          [fields.name, account.name],
          [fields.email, <Copyable key="email" value={account.email} />],
          [fields.status, <Status key="status" value={account.status} />],
          [fields.type, textFor(types, account.type)],
          [fields.currency, settings.currency],
          [fields.timezone, settings.timezone],
          [fields.language, textFor(languages, settings.language)],
          [fields.id, <Copyable key="id" value={account.id} />],
          [fields.created, time(account.created_at)],
          [t.version.version, pinned?.version],
        ]}
      />
    </Page>
  );
}
