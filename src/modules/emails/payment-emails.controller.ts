import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest } from '../../platform/database/database';
import { IdParam, Operation } from '../../platform/http/operation';
import { IdResponseField, nameEnum, ResponseField } from '../../platform/http/response-fields';
import { Caller, IdempotencyKey, Principal } from '../auth/http';
import { PAYMENT_EMAIL_KINDS, PaymentEmailKind } from './due-emails';
import { RepeatedEmail, RepeatedPaymentEmails } from './payment-emails.service';

nameEnum('PaymentEmailKind', PAYMENT_EMAIL_KINDS);

class RepeatedEmailResponse {
  @IdResponseField('pay') payment_request_id: string;

  @ResponseField({
    enum: PAYMENT_EMAIL_KINDS,
    description: '`request`: with the link to pay. `receipt`: for a payment that was made.',
  })
  kind: PaymentEmailKind;

  @ResponseField({ example: 'The email is on its way to the customer.' }) message: string;
}

function repeatedEmailResponse({ paymentRequestId, kind }: RepeatedEmail): RepeatedEmailResponse {
  return {
    payment_request_id: paymentRequestId,
    kind,
    message: 'The email is on its way to the customer.',
  };
}

/** The emails to the customers of payment requests. */
@ApiTags('Payment requests')
@Controller('v1/payments')
export class PaymentEmailsController {
  constructor(private readonly emails: RepeatedPaymentEmails) {}

  @Post(':payment_id/email')
  @Operation({
    id: 'sendPaymentEmail',
    scope: 'payment_requests:write',
    summary: 'Send the email about a payment request again',
    idempotent: true,
    forSupport: true,
    errors: ['not_found', 'conflict'],
    description:
      'The customer gets the email with the link of a pending payment request once more, or the receipt of a paid one. It can be sent ten minutes after the last one.',
    response: { type: RepeatedEmailResponse, description: 'The email is on its way.' },
  })
  send(
    @Caller() caller: Principal,
    @IdParam('payment_id', 'pay', 'The id of the payment request.') id: string,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.emails.send(caller, id, { ...request, render: repeatedEmailResponse });
  }
}
