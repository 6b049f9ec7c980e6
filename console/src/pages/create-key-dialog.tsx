import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';

interface CreateKeyProps {
  /** @param key the secret, which nobody can read again */
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

const FORM = 'create-key';

/** Creates a key of the platform. The keys of an account are made by its owner. */
export function CreateKeyDialog({ onMade, onClose }: CreateKeyProps) {
  const { apiKeys: t, fields, create } = useMessages();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [nameText, setName] = useDraft(FORM, 'name');
  const [scopesText, setScopes] = useDraft(FORM, 'scopes');
  const [expiryText, setExpiry] = useDraft(FORM, 'expiry');
  const name = nameText.trim();
  const scopes = scopesText.split(/[\s,]+/).filter(Boolean) as Schemas['ApiScope'][];
  const isExpiry = expiryText === '' || Date.parse(expiryText) > Date.now();
  return (
    <ActionDialog
      title={t.create}
      about={undefined}
      text={t.createText}
      confirm={t.create}
      done={t.created}
      form={FORM}
      isReady={name !== '' && isExpiry}
      onClose={onClose}
      run={async () => {
        const body = {
          name,
          role: 'platform' as const,
          ...(scopes.length > 0 && { scopes }),
          ...(expiryText !== '' && { expires_at: new Date(expiryText).toISOString() }),
        };
        const params = { header: { 'Idempotency-Key': idempotencyKey } };
        const { key } = await api.post('/v1/api-keys', { params, body });
        onMade(key);
      }}
    >
      <TextField label={fields.name} autoFocus maxLength={100} value={nameText} onChange={setName} />
      <TextField label={fields.scopes} hint={t.scopesHint} value={scopesText} onChange={setScopes} />
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
