import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { ActionDialog } from '../ui/action-dialog';
import { CheckFields, TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { accountEventTypes } from './event-types';

type Webhook = Schemas['WebhookResponse'];

/** The address and the types of events of an endpoint. */
function useEndpoint(form: string, { url: before = '', event_types: typesBefore = null }: Partial<Webhook>) {
  const { dashboard, names, webhooks } = useMessages();
  const [urlText, setUrl] = useDraft(form, 'url', before);
  const [typesText, setTypes] = useDraft(form, 'types', typesBefore?.join(' ') ?? '');
  const url = urlText.trim();
  const types = typesText.split(' ').filter(Boolean);
  const options = [...new Set([...accountEventTypes, ...(typesBefore ?? [])])];
  return {
    isUrl: /^https?:\/\/./.test(url) && URL.canParse(url),
    url,
    /** Null for all. */
    types: types.length > 0 ? types : null,
    fields: (
      <>
        <TextField
          label={webhooks.url}
          hint={dashboard.webhooks.urlHint}
          autoComplete="off"
          autoFocus
          maxLength={2048}
          value={urlText}
          onChange={setUrl}
        />
        <CheckFields
          legend={webhooks.eventTypes}
          hint={dashboard.webhooks.allTypes}
          value={typesText}
          onChange={setTypes}
          options={options.map((type) => [type, nameOf(names, type)])}
        />
      </>
    ),
  };
}

interface SecretProps {
  /** @param secret which nobody can read again */
  readonly onMade: (secret: string) => void;
  readonly onClose: () => void;
}
interface EndpointProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function CreateEndpointDialog({ onMade, onClose }: SecretProps) {
  const t = useMessages().dashboard.webhooks;
  const form = 'create-endpoint';
  const [key] = useState(() => crypto.randomUUID()); // pressed twice, it is still one
  const { isUrl, url, types, fields } = useEndpoint(form, {});
  return (
    <ActionDialog
      title={t.create}
      about={undefined}
      text={t.createText}
      confirm={t.create}
      done={t.created}
      form={form}
      isReady={isUrl}
      onClose={onClose}
      run={async () => {
        const params = { header: { 'Idempotency-Key': key } };
        const body = { url, event_types: types };
        const { secret } = await api.post('/v1/webhooks', { params, body });
        onMade(secret);
      }}
    >
      {fields}
    </ActionDialog>
  );
}

const pathOf = ({ id }: Webhook) => ({ path: { webhook_id: id } });

export function EditEndpointDialog({ webhook: current, onClose }: EndpointProps) {
  const t = useMessages().dashboard.webhooks;
  const [webhook] = useState(current); // the page reads it again meanwhile
  const form = `edit-endpoint:${webhook.id}`;
  const { isUrl, url, types, fields } = useEndpoint(form, webhook);
  const change = {
    ...(url !== webhook.url && { url }),
    ...(types?.join() !== webhook.event_types?.join() && { event_types: types }),
  };
  return (
    <ActionDialog
      title={t.edit}
      about={webhook.url}
      text={t.editText}
      confirm={t.edit}
      done={t.edited}
      form={form}
      isReady={isUrl && Object.keys(change).length > 0}
      onClose={onClose}
      run={() => api.patch('/v1/webhooks/{webhook_id}', { params: pathOf(webhook), body: change })}
    >
      {fields}
    </ActionDialog>
  );
}

export function RotateSecretDialog({ webhook, onMade, onClose }: EndpointProps & SecretProps) {
  const t = useMessages().dashboard.webhooks;
  return (
    <ActionDialog
      title={t.rotate}
      about={webhook.url}
      text={t.rotateText}
      confirm={t.rotate}
      done={t.rotated}
      onClose={onClose}
      run={async () => {
        const { secret } = await api.post('/v1/webhooks/{webhook_id}/secret', { params: pathOf(webhook) });
        onMade(secret);
      }}
    />
  );
}

export function DeleteEndpointDialog({ webhook, onClose }: EndpointProps) {
  const t = useMessages().dashboard.webhooks;
  const [, navigate] = useLocation();
  return (
    <ActionDialog
      title={t.delete}
      about={webhook.url}
      text={t.deleteText}
      confirm={t.delete}
      done={t.deleted}
      isDangerous
      onClose={onClose}
      run={async () => {
        await api.delete('/v1/webhooks/{webhook_id}', { params: pathOf(webhook) });
        navigate('/webhooks');
      }}
    />
  );
}
