import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { ReasonField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';

interface ExpireSecretDialogProps {
  readonly webhook: Schemas['WebhookResponse'];
  readonly onClose: () => void;
}

/** Lets a leaked secret expire. Only the account gets another one. */
export function ExpireSecretDialog({ webhook, onClose }: ExpireSecretDialogProps) {
  const { endpoints: t, actions } = useMessages();
  const form = `secret:${webhook.id}`;
  const [text, setText] = useDraft(form, 'reason');
  const reason = text.trim();
  return (
    <ActionDialog
      title={actions.expireSecret}
      about={webhook.url}
      text={format(t.expireText, { url: webhook.url })}
      confirm={actions.expireSecret}
      done={t.expired}
      isDangerous
      form={form}
      isReady={reason !== ''}
      onClose={onClose}
      run={() =>
        api.post('/v1/webhooks/{webhook_id}/secret/expiration', {
          params: { path: { webhook_id: webhook.id } },
          body: { reason },
        })
      }
    >
      <ReasonField value={text} onChange={setText} />
    </ActionDialog>
  );
}
