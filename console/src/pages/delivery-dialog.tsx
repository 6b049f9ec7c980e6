import { useEffect, useRef, useState } from 'react';
import { api, type Schemas } from '../api/client';
import { useWebhook } from '../api/webhooks';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { nameOf } from '../i18n/name-of';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import { Details } from '../ui/details';
import { Status } from '../ui/status';
import { useAttemptRows } from './attempt';

interface DeliveryDialogProps {
  readonly delivery: Schemas['WebhookDeliveryResponse'];
  readonly onClose: () => void;
}

/** One delivery in full, which can be made again. */
export function DeliveryDialog({ delivery, onClose }: DeliveryDialogProps) {
  const { webhooks: t, fields, names } = useMessages();
  const { number, time } = useFormats();
  const attemptRows = useAttemptRows();
  const { operate } = useMayAct();
  const { data: webhook } = useWebhook(delivery.webhook_id);
  const isDisabled = webhook?.status === 'disabled';
  const isReady = operate.isAllowed && webhook !== undefined && !isDisabled;
  const { id, event_type, status, attempts, last_attempt_at, next_attempt_at } = delivery;
  const denial = operate.isAllowed ? t.enableFirst : operate.denial;
  return (
    <ActionDialog
      title={nameOf(names, event_type)}
      about={webhook?.url ?? delivery.webhook_id}
      text={operate.isAllowed && !isDisabled ? t.redeliverText : denial}
      confirm={t.redeliver}
      done={t.redelivered}
      isReady={isReady}
      onClose={onClose}
      run={() =>
        api.post('/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery', {
          params: { path: { webhook_id: delivery.webhook_id, delivery_id: id } },
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

interface RedeliverDialogProps {
  readonly about: string;
  readonly filter: Readonly<Partial<Record<'webhook_id' | 'date_from' | 'date_to', string>>>;
  readonly onClose: () => void;
}

/**
 * Delivers again what has failed, batch by batch. Nothing is delivered twice by a second press or a second start, since a
 * batch takes only what is still failed; closing the dialog ends it after the batch.
 */
export function RedeliverDialog({ about, filter, onClose }: RedeliverDialogProps) {
  const { webhooks: t } = useMessages();
  const { number } = useFormats();
  const [progress, setProgress] = useState<Redelivered | null>(null);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const describe = ({ count, skipped }: Redelivered): string =>
    [
      format(t.redeliveredFailed, { count: number(count) }),
      skipped > 0 && format(t.skipped, { count: number(skipped) }),
    ]
      .filter(Boolean)
      .join(' ');
  const redeliver = async (): Promise<Redelivered> => {
    const { date_from: from, date_to: to, ...others } = filter;
    const selection = {
      ...others,
      ...(from && { since: `${from}T00:00:00.000Z` }),
      ...(to && { until: `${to}T23:59:59.999Z` }),
    };
    let all: Redelivered = { count: 0, skipped: 0 };
    let last: string | null = null;
    do {
      const batch: Schemas['RedeliveredBatchResponse'] = await api.post(
        '/v1/webhook-deliveries/redeliveries',
        { body: { ...selection, ...(last && { starting_after: last }) } },
      );
      all = { count: all.count + batch.count, skipped: all.skipped + batch.skipped };
      setProgress(all);
      last = batch.last_id;
    } while (last !== null && isOpen.current);
    return all;
  };
  return (
    <ActionDialog
      title={t.redeliverFailed}
      about={about}
      text={t.redeliverFailedText}
      confirm={t.redeliver}
      done={describe}
      onClose={onClose}
      run={redeliver}
    >
      <p role="status">{progress && describe(progress)}</p>
    </ActionDialog>
  );
}

type Redelivered = Pick<Schemas['RedeliveredBatchResponse'], 'count' | 'skipped'>;
