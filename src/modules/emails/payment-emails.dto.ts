import { IdResponseField, nameEnum, ResponseField } from '../../platform/http/response-fields';
import { RepeatedEmail } from './payment-emails.service';
import { PAYMENT_EMAIL_KINDS, PaymentEmailKind } from './payment-email';

nameEnum('PaymentEmailKind', PAYMENT_EMAIL_KINDS);

export class RepeatedEmailResponse {
  @IdResponseField('pay') payment_request_id: string;

  @ResponseField({
    enum: PAYMENT_EMAIL_KINDS,
    description: '`request`: with the link to pay. `receipt`: for a payment that was made.',
  })
  kind: PaymentEmailKind;

  @ResponseField({ example: 'The email is on its way to the customer.' }) message: string;
}

export function repeatedEmailResponse({ paymentRequestId, kind }: RepeatedEmail): RepeatedEmailResponse {
  return {
    payment_request_id: paymentRequestId,
    kind,
    message: 'The email is on its way to the customer.',
  };
}
