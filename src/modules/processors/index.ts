export { PaymentProcessor } from './domain/payment-processor';
export type { PaymentMethod } from './domain/payment-processor';
export { InitialStatePolicy, outcomes, SCRIPTED_FAILURE } from './domain/initial-state';
export type { InitialState, Outcome, ScheduledEnd } from './domain/initial-state';
export type { CheckoutApi, CheckoutReport, ReceivedPayment } from './domain/checkout-api';
export type { RefundApi, RefundReport } from './domain/refund-api';
export type { CheckoutEvent, RefundEvent } from './domain/processor-event';
export { ProcessorEventHandlers } from './domain/processor-event-handlers';
export { isProcessorOutage, ProcessorError } from './domain/processor-error';
