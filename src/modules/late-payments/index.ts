export { LatePaymentsModule } from './late-payments.module';
export { LatePayments } from './application/late-payments.service';
export type { LatePayment, LateReason } from './domain/late-payment';
export { LatePaymentAnswer, latePaymentAnswer } from './http/late-payments.dto';
