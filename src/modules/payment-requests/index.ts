export { PaymentRequests } from './application/payment-requests.service';
export type { NewPaymentRequest } from './application/payment-requests.service';
export type { ReadonlyPaymentRequest as PaymentRequest } from './domain/payment-request';
export { PaymentLinks } from './domain/payment-references';
export { PaymentRequestListeners, PaymentRequestStore } from './domain/payment-request-store';
export type { PaymentContext } from './domain/payment-request-store';
export { simulatedOutcomes, SimulatedPayments } from './domain/simulated-payments';
export type { SimulatedOutcome } from './domain/simulated-payments';
export { UnappliedPaymentBacklogs } from './unapplied-payments/unapplied-payment';
