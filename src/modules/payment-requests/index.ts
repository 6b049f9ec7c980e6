export { UnappliedPayments } from './unapplied-payments/domain/unapplied-payments';
export { PaymentRequests } from './application/payment-requests.service';
export { PaymentRequestStore } from './domain/payment-request-store';
export { SimulatedPayments, simulatedOutcomes } from './domain/simulated-payments';
export type { SimulatedOutcome } from './domain/simulated-payments';
export type { PaymentContext } from './domain/payment-context';
export { PaymentLinks } from './domain/payment-links';
export type { ReadonlyPaymentRequest as PaymentRequest } from './domain/payment-request';
export { PaymentRequestListeners } from './domain/payment-request-listeners';
