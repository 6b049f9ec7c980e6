import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useMayAct } from '../session/use-may-act';
import { ActionDialog } from '../ui/action-dialog';
import { type Action, Actions } from '../ui/actions';
import { useAboutSum } from './about';
import { useCancelAction } from './cancel-action';

interface PaymentProps {
  readonly payment: Schemas['PaymentRequestResponse'];
}
interface DialogProps extends PaymentProps {
  readonly about: string;
  readonly onClose: () => void;
}

const pathOf = ({ id }: PaymentProps['payment']) => ({ path: { payment_id: id } });

/** What may be done with a payment request, as long as its customer can pay, or has paid. */
export function PaymentActions({ payment }: PaymentProps) {
  const { actions, payment: t } = useMessages();
  const { operate } = useMayAct();
  const about = useAboutSum()(payment);
  const email: Action = {
    name: 'email',
    label: actions.sendEmail,
    ...(isDashboard ? operate : { isAllowed: true }), // also for support
    dialog: (close) => <EmailDialog payment={payment} about={about} onClose={close} />,
  };
  const cancel = useCancelAction({ about, text: t.cancelText, done: t.canceled }, () =>
    api.delete('/v1/payments/{payment_id}', { params: pathOf(payment) }),
  );
  switch (payment.status) {
    case 'pending':
      return <Actions actions={[email, cancel]} />;
    case 'succeeded':
      return <Actions actions={[email]} />;
    default:
      return null;
  }
}

function EmailDialog({ payment, about, onClose }: DialogProps) {
  const { actions, payment: t } = useMessages();
  const [key] = useState(() => crypto.randomUUID()); // pressed twice, it is still one email
  const text = payment.status === 'succeeded' ? t.receiptText : t.emailText;
  return (
    <ActionDialog
      title={actions.sendEmail}
      about={about}
      text={format(text, { email: payment.customer_email })}
      confirm={actions.sendEmail}
      done={t.emailDone}
      onClose={onClose}
      run={() =>
        api.post('/v1/payments/{payment_id}/email', {
          params: { ...pathOf(payment), header: { 'Idempotency-Key': key } },
        })
      }
    />
  );
}
