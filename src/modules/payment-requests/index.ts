export { UnappliedPaymentBacklogs } from './unapplied-payments/unapplied-payment';
export { PaymentRequests } from './application/payment-requests.service';
export { PaymentRequestStore } from './domain/payment-request-store';
export { SimulatedPayments, simulatedOutcomes } from './domain/simulated-payments';
export type { SimulatedOutcome } from './domain/simulated-payments';
export type { PaymentContext } from './domain/payment-request-store';
export { PaymentLinks } from './domain/payment-references';
export type { ReadonlyPaymentRequest as PaymentRequest } from './domain/payment-request';
export { PaymentRequestListeners } from './domain/payment-request-store';
