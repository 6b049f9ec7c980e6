export { UnappliedPayments } from './application/unapplied-payments.service';
export type {
  ReadonlyUnappliedPayment as UnappliedPayment,
  RejectionReason,
} from './domain/unapplied-payment';
export { UnappliedPaymentResponse, unappliedPaymentResponse } from './http/unapplied-payments.dto';
