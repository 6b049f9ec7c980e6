import { Module, OnModuleInit } from '@nestjs/common';
import { CONFIG, Config } from '../../platform/config/config';
import { Sweeps } from '../../platform/jobs/sweeps';
import { PaymentProvider } from './domain/payment-provider';
import { ProviderEventsRepository } from './domain/provider-events.repository';
import { SqlProviderEventsRepository } from './infrastructure/sql-provider-events.repository';
import { StripeProvider } from './infrastructure/stripe.provider';

/** Providers on whose pages customers pay, and which send money back. */
@Module({
  providers: [
    { provide: PaymentProvider, inject: [CONFIG], useFactory: providerOf },
    { provide: ProviderEventsRepository, useClass: SqlProviderEventsRepository },
  ],
  exports: [PaymentProvider, ProviderEventsRepository],
})
export class ProvidersModule implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly events: ProviderEventsRepository,
  ) {}

  onModuleInit(): void {
    this.sweeps.join({ name: 'processed events', run: (now) => this.events.deleteOld(now) });
  }
}

/** Whoever asks for it gets null where money moves without one. */
function providerOf({ stripe }: Config): PaymentProvider | null {
  return stripe === null ? null : new StripeProvider(stripe);
}
