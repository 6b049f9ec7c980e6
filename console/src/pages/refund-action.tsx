import { useListedAccount } from '../api/account';
import { api, type Schemas } from '../api/client';
import { usePaymentRequest } from '../api/payments';
import { useFormats } from '../i18n/formats';
import { format, textFor, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import type { Action } from '../ui/actions';
import { ReasonField, SelectField } from '../ui/fields';
import { PartDialog } from '../ui/part-dialog';
import { useDraft } from '../ui/use-draft';

interface RefundProps {
  readonly payment: Schemas['RetrievedTransactionResponse'];
}
interface DialogProps extends RefundProps {
  /** Minor units. */
  readonly left: number;
  readonly onClose: () => void;
}

/** The action that refunds what is left of a succeeded payment, or says why that is not possible. */
export function useRefundAction(payment: RefundProps['payment']): Action {
  const { actions, statuses, transaction: t } = useMessages();
  const { operate, manage } = useMayAct();
  const status = useListedAccount(payment.account_id)?.status;
  const left = payment.amount - (payment.refunded_amount ?? 0);
  const isOpen = status === undefined || status === 'active' || (status === 'closed' && manage.isAllowed);
  const denial =
    left === 0 ? t.refund.nothingLeft : format(t.refund.notOpen, { status: textFor(statuses, status ?? '') });
  return {
    name: 'refund',
    label: actions.refund,
    ...operate,
    ...(operate.isAllowed && { isAllowed: isOpen && left > 0, denial }),
    dialog: (close) => <RefundDialog payment={payment} left={left} onClose={close} />,
  };
}

/** Refunds all that is left, or a part. The service keeps the sum of all refunds from exceeding the payment. */
function RefundDialog({ payment, left, onClose }: DialogProps) {
  const { actions, approvals, create, dashboard, fields, transaction: t } = useMessages();
  const { money } = useFormats();
  const { id, account_id, amount, currency, reference } = payment;
  const account = useListedAccount(account_id)?.name ?? account_id;
  const { data: request } = usePaymentRequest(payment.payment_request_id ?? null);
  const form = `refund:${id}`;
  const [reasonText, setReason] = useDraft(form, 'reason');
  const [parts, setParts] = useDraft<'keep' | 'takeBack'>(form, 'parts', 'keep');
  const reason = reasonText.trim();
  const isSplit = request?.splits?.some(({ skipped }) => !skipped) ?? false;
  return (
    <PartDialog
      title={actions.refund}
      about={reference ?? id}
      text={format(t.refund.text, { account })}
      confirm={t.refund.confirm}
      left={left}
      currency={currency}
      rows={[
        [fields.customer, request?.customer_email],
        [t.refund.paid, money(amount, currency)],
        [fields.refunded, money(amount - left, currency)],
        [fields.left, money(left, currency)],
      ]}
      form={form}
      more={{
        isComplete: reason !== '',
        content: (
          <>
            {isSplit && (
              <SelectField
                label={t.refund.parts}
                value={parts}
                onChange={(value) => setParts(value as typeof parts)}
                options={[
                  ['keep', t.refund.keep],
                  ['takeBack', t.refund.takeBack],
                ]}
              />
            )}
            <ReasonField
              autoFocus={false}
              hint={isDashboard ? dashboard.refundHint : create.refundHint}
              value={reasonText}
              onChange={setReason}
            />
          </>
        ),
      }}
      onClose={onClose}
      run={(refunded, key) =>
        api.post('/v1/transactions', {
          params: { header: { 'Idempotency-Key': key } },
          body: {
            account_id,
            amount: refunded,
            currency,
            type: 'refund',
            source_transaction_id: id,
            ...(isSplit && parts === 'takeBack' && { reverse_splits: true }),
            metadata: { reason },
          },
        })
      }
      done={({ approval_id }) => (approval_id === undefined ? t.refund.done : approvals.asked)}
    />
  );
}
