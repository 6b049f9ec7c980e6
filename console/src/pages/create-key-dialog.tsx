import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { ActionDialog } from '../ui/action-dialog';
import { CheckFields, SelectField, TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';

interface CreateKeyProps {
  /** @param key the secret, which nobody can read again */
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

const FORM = 'create-key';

/** What a key may do (docs/guides/api-keys.md). */
const scopes = [
  'payments:read',
  'payments:write',
  'payment_requests:read',
  'payment_requests:write',
  'subscriptions:read',
  'subscriptions:write',
  'transactions:read',
  'transactions:write',
  'credits:write',
  'refunds:write',
  'transfers:read',
  'transfers:write',
  'account:read',
  'events:read',
  'webhooks',
  'webhooks:read',
  'webhooks:write',
  'requests:read',
] as const satisfies readonly Schemas['ApiScope'][];

type Purpose = 'shop' | 'reader' | 'everything' | 'chosen';

/** The scopes of what keys are made for most often; none are all. */
const scopesFor: Readonly<Record<Exclude<Purpose, 'chosen'>, readonly Schemas['ApiScope'][]>> = {
  shop: [
    'payment_requests:read',
    'payment_requests:write',
    'subscriptions:read',
    'subscriptions:write',
    'transactions:read',
    'events:read',
  ],
  reader: scopes.filter((scope) => scope.endsWith(':read')),
  everything: [],
};

/** Creates a key: in the console one of the platform, in the dashboard one of the account. */
export function CreateKeyDialog({ onMade, onClose }: CreateKeyProps) {
  const { apiKeys: t, dashboard, fields, create } = useMessages();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [nameText, setName] = useDraft(FORM, 'name');
  const [purpose, setPurpose] = useDraft<Purpose>(FORM, 'purpose', 'shop');
  const [scopesText, setScopes] = useDraft(FORM, 'scopes');
  const [expiryText, setExpiry] = useDraft(FORM, 'expiry');
  const name = nameText.trim();
  const chosen =
    purpose === 'chosen'
      ? scopes.filter((scope) => scopesText.split(' ').includes(scope))
      : scopesFor[purpose];
  const isExpiry = expiryText === '' || Date.parse(expiryText) > Date.now();
  return (
    <ActionDialog
      title={t.create}
      about={undefined}
      text={isDashboard ? dashboard.keys.createText : t.createText}
      confirm={t.create}
      done={t.created}
      form={FORM}
      isReady={name !== '' && isExpiry && (purpose === 'everything' || chosen.length > 0)}
      onClose={onClose}
      run={async () => {
        const body = {
          name,
          ...(!isDashboard && { role: 'platform' as const }),
          ...(chosen.length > 0 && { scopes: [...chosen] }),
          ...(expiryText !== '' && { expires_at: new Date(expiryText).toISOString() }),
        };
        const params = { header: { 'Idempotency-Key': idempotencyKey } };
        const { key } = await api.post('/v1/api-keys', { params, body });
        onMade(key);
      }}
    >
      <TextField label={fields.name} autoFocus maxLength={100} value={nameText} onChange={setName} />
      <SelectField
        label={fields.scopes}
        hint={chosen.join(', ')}
        value={purpose}
        onChange={(value) => setPurpose(value as Purpose)}
        options={Object.entries(dashboard.keys.purposes)}
      />
      {purpose === 'chosen' && (
        <CheckFields
          legend={fields.scopes}
          hint={dashboard.keys.choose}
          value={scopesText}
          onChange={setScopes}
          options={scopes.map((scope) => [scope, scope])}
        />
      )}
      <TextField
        label={create.expires}
        type="datetime-local"
        hint={t.expiresHint}
        value={expiryText}
        onChange={setExpiry}
        {...(!isExpiry && { problem: t.expiresProblem })}
      />
    </ActionDialog>
  );
}
