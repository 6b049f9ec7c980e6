import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { useMayAct } from '../session/use-session';
import { ActionDialog } from '../ui/action-dialog';
import { type Action, Actions } from '../ui/actions';
import { useFilters } from '../ui/filters';
import { RedeliverDialog } from './delivery-dialog';
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
  const filter = useFilters(['date_from', 'date_to']);
  const isEnabled = webhook.status === 'enabled';
  const change: Action = {
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
  };
  const others: Action[] = [
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
      dialog: (close) => (
        <RedeliverDialog about={webhook.url} filter={{ ...filter, webhook_id: webhook.id }} onClose={close} />
      ),
    },
    {
      name: 'secret',
      label: actions.expireSecret,
      ...manage,
      isDangerous: true,
      dialog: (close) => <ExpireSecretDialog webhook={webhook} onClose={close} />,
    },
  ];
  // Nothing else helps a disabled endpoint.
  return <Actions actions={isEnabled ? [...others, change] : [change, ...others]} />;
}
