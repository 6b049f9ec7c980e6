import { api, type Schemas } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { ActionDialog } from '../ui/action-dialog';
import { useAboutSum } from './about';

type UnappliedPayment = Schemas['UnappliedPaymentResponse'];

interface ResolveDialogProps {
  readonly payment: UnappliedPayment;
  readonly outcome: Schemas['UnappliedPaymentResolution'];
  readonly onClose: () => void;
}

/** What may be done about a payment. What is returned stays so, and the processor returns only what it has received. */
export function resolutionsOf({
  status,
  processor_reference,
}: UnappliedPayment): Schemas['UnappliedPaymentResolution'][] {
  if (status === 'returned') return [];
  const isRetryable = status === 'needs_attention' && processor_reference !== null;
  return isRetryable ? ['returned', 'retry'] : ['returned'];
}

/** Says that somebody has returned the money, or lets the service try again. */
export function ResolveDialog({ payment, outcome, onClose }: ResolveDialogProps) {
  const { unapplied } = useMessages();
  const { money } = useFormats();
  const about = useAboutSum()(payment);
  const t = unapplied.resolutions[outcome];
  return (
    <ActionDialog
      title={t.action}
      about={about}
      text={format(t.text, { amount: money(payment.amount, payment.currency) })}
      confirm={t.action}
      done={t.done}
      onClose={onClose}
      run={() =>
        api.post('/v1/unapplied-payments/{unapplied_payment_id}/resolution', {
          params: { path: { unapplied_payment_id: payment.id } },
          body: { outcome },
        })
      }
    />
  );
}
