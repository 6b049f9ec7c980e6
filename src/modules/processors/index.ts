export {
  InitialStatePolicy,
  isProcessorOutage,
  outcomes,
  PaymentProcessor,
  ProcessorError,
  SCRIPTED_FAILURE,
} from './payment-processor';
export type { InitialState, Outcome, PaymentMethod, ScheduledEnd } from './payment-processor';
export type { CheckoutApi, CheckoutReport, ReceivedPayment, RefundApi, RefundReport } from './processor-api';
export { type CheckoutEvent, ProcessorEventHandlers, type RefundEvent } from './processor-events';
