export { PaymentProcessor } from './domain/payment-processor';
export type { PaymentMethod } from './domain/payment-processor';
export { InitialStatePolicy, SCRIPTED_FAILURE, outcomes } from './domain/initial-state';
export type { InitialState, Outcome, ScheduledEnd } from './domain/initial-state';
export type { CheckoutApi, CheckoutReport, ReceivedPayment } from './domain/checkout-api';
export type { RefundApi, RefundReport } from './domain/refund-api';
export type { CheckoutEvent, RefundEvent } from './domain/processor-event';
export { ProcessorEventHandlers } from './domain/processor-event-handlers';
export { ProcessorError, isProcessorOutage } from './domain/processor-error';
