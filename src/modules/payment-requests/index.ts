export { paymentRequests, PaymentRequestsModule } from './payment-requests.module';
export { PaymentRequests } from './application/payment-requests.service';
export { PaymentRequestStore } from './application/payment-request-store';
export { PaymentRequestSettlement } from './application/payment-request-settlement';
export type { PaymentContext } from './domain/payment-context';
export { PaymentLinks } from './domain/payment-links';
export type { ReadonlyPaymentRequest as PaymentRequest } from './domain/payment-request';
export { PaymentRequestListeners } from './domain/payment-request-listeners';
export { transferReference } from './domain/transfer-reference';
