import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { TextField } from '../ui/fields';
import { ExpireSecretDialog } from './webhook-secret-dialog';

export type TestResult = Schemas['WebhookTestResponse'];

interface WebhookActionsProps {
  readonly webhook: Schemas['WebhookResponse'];
  readonly onTested: (result: TestResult) => void;
}

/** What the back office may do with an endpoint. Its secret is the account's. */
export function WebhookActions({ webhook, onTested }: WebhookActionsProps) {
  const { webhooks: t, actions } = useMessages();
  const { deliver, manage } = useMayAct();
  const params = { path: { webhook_id: webhook.id } };
  const isEnabled = webhook.status === 'enabled';
  return (
    <Actions
      actions={[
        {
          name: 'test',
          label: t.test,
          ...deliver,
          dialog: (close) => (
            <ActionDialog
              title={t.test}
              about={webhook.url}
              text={format(t.testText, { url: webhook.url })}
              confirm={t.test}
              done={t.testDone}
              onClose={close}
              run={() => api.post('/v1/webhooks/{webhook_id}/test', { params }).then(onTested)}
            />
          ),
        },
        {
          name: 'redeliver',
          label: t.redeliverFailed,
          ...deliver,
          ...(deliver.isAllowed && { isAllowed: isEnabled, denial: t.enableFirst }),
          dialog: (close) => <RedeliverDialog webhook={webhook} onClose={close} />,
        },
        {
          name: 'secret',
          label: actions.expireSecret,
          ...manage,
          isDangerous: true,
          dialog: (close) => <ExpireSecretDialog webhook={webhook} onClose={close} />,
        },
        {
          name: isEnabled ? 'disable' : 'enable',
          label: isEnabled ? t.disable : t.enable,
          ...deliver,
          isDangerous: isEnabled,
          dialog: (close) => (
            <ActionDialog
              title={isEnabled ? t.disable : t.enable}
              about={webhook.url}
              text={isEnabled ? t.disableText : t.enableText}
              confirm={isEnabled ? t.disable : t.enable}
              done={isEnabled ? t.disabled : t.enabled}
              isDangerous={isEnabled}
              onClose={close}
              run={() =>
                api.patch('/v1/webhooks/{webhook_id}', {
                  params,
                  body: { status: isEnabled ? 'disabled' : 'enabled' },
                })
              }
            />
          ),
        },
      ]}
    />
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A moment as a field for dates and times shows it, in the time zone of the device. */
function localTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface RedeliverDialogProps extends Pick<WebhookActionsProps, 'webhook'> {
  readonly onClose: () => void;
}

function RedeliverDialog({ webhook, onClose }: RedeliverDialogProps) {
  const { webhooks: t } = useMessages();
  const { number } = useFormats();
  const [text, setText] = useState(() => localTime(Date.now() - DAY_MS));
  const since = new Date(text);
  return (
    <ActionDialog
      title={t.redeliverFailed}
      about={webhook.url}
      text={t.redeliverFailedText}
      confirm={t.redeliver}
      done={({ count, has_more }) =>
        [format(t.redeliveredFailed, { count: number(count) }), has_more && t.moreFailed]
          .filter(Boolean)
          .join(' ')
      }
      isReady={!Number.isNaN(since.getTime())}
      onClose={onClose}
      run={() =>
        api.post('/v1/webhooks/{webhook_id}/redeliveries', {
          params: { path: { webhook_id: webhook.id } },
          body: { since: since.toISOString() },
        })
      }
    >
      <TextField label={t.since} type="datetime-local" autoFocus value={text} onChange={setText} />
    </ActionDialog>
  );
}
