import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { fullPages } from '../api/pages';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import { ReasonField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { ResourceList } from '../ui/resource-list';
import { RowAction } from '../ui/row-action';

type ApiKey = Schemas['ApiKeyResponse'];

/** The keys by which programs act for an account, or without one for all. An admin revokes one that has leaked. */
export function KeysTable({ accountId }: { readonly accountId?: string }) {
  const { apiKeys: t, fields, actions } = useMessages();
  const { time } = useFormats();
  const { isAllowed, denial } = useMayAct().revoke;
  const [chosen, setChosen] = useState<ApiKey | null>(null);
  return (
    <>
      {!isAllowed && <p className="soft">{denial}</p>}
      <ResourceList<ApiKey>
        label={t.title}
        queryKey={['api-keys', accountId]}
        load={fullPages((page, signal) =>
          api.get('/v1/api-keys', {
            params: { query: { ...(accountId && { account_id: accountId }), ...page } },
            signal,
          }),
        )}
        keyOf={({ id }) => id}
        columns={[
          { name: 'name', header: fields.name, cell: ({ name }) => name },
          {
            name: 'last-four',
            header: fields.lastFour,
            cell: ({ last_four }) => <code>… {last_four}</code>,
          },
          {
            name: 'scopes',
            header: fields.scopes,
            isMinor: true,
            cell: ({ scopes }) => scopes.join(', '),
          },
          {
            name: 'used',
            header: fields.lastUsed,
            isMinor: true,
            kind: 'time',
            cell: ({ last_used_at }) => (last_used_at ? time(last_used_at) : t.unused),
          },
          {
            name: 'expires',
            header: fields.expires,
            isMinor: true,
            kind: 'time',
            cell: ({ expires_at }) => expires_at && time(expires_at),
          },
          {
            name: 'revoke',
            header: fields.action,
            kind: 'action',
            cell: (key) => (
              <RowAction
                label={actions.revoke}
                of={key.name}
                isAllowed={isAllowed}
                onPress={() => setChosen(key)}
              />
            ),
          },
        ]}
      />
      {chosen && <RevokeDialog apiKey={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function RevokeDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const { apiKeys: t, actions, dashboard } = useMessages();
  const form = `revoke:${apiKey.id}`;
  const [text, setText] = useDraft(form, 'reason');
  const reason = text.trim();
  return (
    <ActionDialog
      title={actions.revoke}
      about={`${apiKey.name} · … ${apiKey.last_four}`}
      text={format(isDashboard ? dashboard.keys.revokeText : t.revokeText, { name: apiKey.name })}
      confirm={actions.revoke}
      done={t.revoked}
      isDangerous
      form={form}
      isReady={isDashboard || reason !== ''}
      onClose={onClose}
      run={() =>
        api.delete('/v1/api-keys/{api_key_id}', {
          params: { path: { api_key_id: apiKey.id } },
          body: isDashboard ? {} : { reason },
        })
      }
    >
      {!isDashboard && <ReasonField value={text} onChange={setText} />}
    </ActionDialog>
  );
}
