import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import { type Action, Actions } from '../ui/actions';
import { useFilters } from '../ui/filters';
import { RedeliverDialog } from './delivery-dialog';
import { DeleteEndpointDialog, EditEndpointDialog, RotateSecretDialog } from './endpoint-dialogs';
import { ExpireSecretDialog } from './webhook-secret-dialog';

export type TestResult = Schemas['WebhookTestResponse'];

interface WebhookActionsProps {
  readonly webhook: Schemas['WebhookResponse'];
  readonly onTested: (result: TestResult) => void;
  readonly onSecret: (secret: string) => void;
}

/** What may be done with an endpoint. Its address and its secret are the account's: the back office changes neither. */
export function WebhookActions({ webhook, onTested, onSecret }: WebhookActionsProps) {
  const { webhooks: t, actions, dashboard } = useMessages();
  const { operate, manage } = useMayAct();
  const params = { path: { webhook_id: webhook.id } };
  const filter = useFilters(['date_from', 'date_to']);
  const isEnabled = webhook.status === 'enabled';
  const change: Action = {
    name: isEnabled ? 'disable' : 'enable',
    label: isEnabled ? t.disable : t.enable,
    ...operate,
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
      ...operate,
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
      ...operate,
      ...(operate.isAllowed && { isAllowed: isEnabled, denial: t.enableFirst }),
      dialog: (close) => (
        <RedeliverDialog about={webhook.url} filter={{ ...filter, webhook_id: webhook.id }} onClose={close} />
      ),
    },
  ];
  const secret: Action = {
    name: 'secret',
    label: actions.expireSecret,
    ...manage,
    isDangerous: true,
    dialog: (close) => <ExpireSecretDialog webhook={webhook} onClose={close} />,
  };
  const ofAccount: Action[] = [
    {
      name: 'edit',
      label: dashboard.webhooks.edit,
      ...operate,
      dialog: (close) => <EditEndpointDialog webhook={webhook} onClose={close} />,
    },
    {
      name: 'rotate',
      label: dashboard.webhooks.rotate,
      ...operate,
      dialog: (close) => <RotateSecretDialog webhook={webhook} onMade={onSecret} onClose={close} />,
    },
  ];
  const remove: Action = {
    name: 'delete',
    label: dashboard.webhooks.delete,
    ...operate,
    isDangerous: true,
    dialog: (close) => <DeleteEndpointDialog webhook={webhook} onClose={close} />,
  };
  const usual = isDashboard ? [...others, ...ofAccount] : [...others, secret];
  const last = isDashboard ? [remove] : [];
  // Nothing else helps a disabled endpoint.
  return <Actions actions={isEnabled ? [...usual, change, ...last] : [change, ...usual, ...last]} />;
}
