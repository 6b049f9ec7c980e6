import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { useAboutSum } from './about';
import { ApprovableDialog } from './approvable-dialog';

interface DialogProps {
  readonly transaction: Schemas['TransactionResponse'];
  readonly onClose: () => void;
}

const pathOf = ({ id }: DialogProps['transaction']) => ({
  path: { transaction_id: id },
});

export function SettleDialog({ transaction, onClose }: DialogProps) {
  const { actions, transaction: t } = useMessages();
  const { money } = useFormats();
  const about = useAboutSum()(transaction);
  return (
    <ApprovableDialog
      type="settle_transaction"
      objectId={transaction.id}
      hasReason={false}
      isDangerous={false}
      title={actions.settle}
      about={about}
      text={format(t.settle.text, {
        amount: money(transaction.amount, transaction.currency),
      })}
      done={t.settle.done}
      onClose={onClose}
      run={() =>
        api.post('/v1/transactions/{transaction_id}/settlement', {
          params: pathOf(transaction),
          body: { outcome: 'succeeded' },
        })
      }
    />
  );
}

export function FailDialog({ transaction, onClose }: DialogProps) {
  const { actions, transaction: t } = useMessages();
  const about = useAboutSum()(transaction);
  const form = `fail:${transaction.id}`;
  const [reason, setReason] = useDraft(form, 'reason');
  const failure_reason = reason.trim();
  return (
    <ActionDialog
      title={actions.fail}
      about={about}
      text={t.fail.text}
      confirm={actions.fail}
      done={t.fail.done}
      isDangerous
      form={form}
      isReady={failure_reason !== ''}
      onClose={onClose}
      run={() =>
        api.post('/v1/transactions/{transaction_id}/settlement', {
          params: pathOf(transaction),
          body: { outcome: 'failed', failure_reason },
        })
      }
    >
      <TextField label={t.fail.reason} autoFocus maxLength={255} value={reason} onChange={setReason} />
    </ActionDialog>
  );
}
