import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { useMayAct } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { Details } from '../ui/details';
import { Status } from '../ui/status';
import { useAttemptRows } from './attempt';

interface DeliveryDialogProps {
  readonly webhook: Schemas['WebhookResponse'];
  readonly delivery: Schemas['WebhookDeliveryResponse'];
  readonly onClose: () => void;
}

/** One delivery in full, which can be made again. */
export function DeliveryDialog({ webhook, delivery, onClose }: DeliveryDialogProps) {
  const { webhooks: t, fields, names } = useMessages();
  const { number, time } = useFormats();
  const attemptRows = useAttemptRows();
  const { deliver } = useMayAct();
  const isReady = deliver.isAllowed && webhook.status === 'enabled';
  const { id, event_type, status, attempts, last_attempt_at, next_attempt_at } = delivery;
  const denial = deliver.isAllowed ? t.enableFirst : deliver.denial;
  return (
    <ActionDialog
      title={nameOf(names, event_type)}
      about={webhook.url}
      text={isReady ? t.redeliverText : denial}
      confirm={t.redeliver}
      done={t.redelivered}
      isReady={isReady}
      onClose={onClose}
      run={() =>
        api.post('/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery', {
          params: { path: { webhook_id: webhook.id, delivery_id: id } },
        })
      }
    >
      <Details
        rows={[
          [fields.status, <Status key="status" value={status} />],
          [t.attempts, number(attempts)],
          ...attemptRows(delivery),
          [t.lastAttempt, last_attempt_at && time(last_attempt_at)],
          [t.nextAttempt, next_attempt_at && time(next_attempt_at)],
          [fields.created, time(delivery.created_at)],
          [fields.id, <code key="id">{id}</code>],
        ]}
      />
    </ActionDialog>
  );
}
