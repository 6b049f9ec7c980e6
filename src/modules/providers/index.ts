export { ProvidersModule } from './providers.module';
export { PaymentProvider } from './domain/payment-provider';
export type { CheckoutReport, PaidMoney, ProviderEvent, RefundReport } from './domain/payment-provider';
export { ProviderError } from './domain/provider-error';
export { ProviderEventsRepository } from './domain/provider-events.repository';
