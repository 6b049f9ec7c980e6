import { DynamicModule, Module, ModuleMetadata } from '@nestjs/common';
import { AccountsModule } from './modules/accounts';
import { AuthModule } from './modules/auth';
import { LatePaymentsModule } from './modules/late-payments';
import { LedgerModule } from './modules/ledger';
import { PaymentRequestsModule } from './modules/payment-requests';
import { ProvidersModule } from './modules/providers';
import { SubscriptionsModule } from './modules/subscriptions';
import { TransactionsModule } from './modules/transactions';
import { UsersModule } from './modules/users';
import { Platform, PlatformModule } from './platform/platform.module';

/** Modules of teams that build on the service. They stand below all others and are known by none. */
export type Extensions = NonNullable<ModuleMetadata['imports']>;

/** The service's table of contents. A module knows those above it in this list, never those below. */
@Module({})
export class AppModule {
  static with(platform: Platform, extensions: Extensions = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(platform),
        AuthModule,
        UsersModule,
        AccountsModule,
        LedgerModule,
        ProvidersModule,
        TransactionsModule,
        LatePaymentsModule,
        PaymentRequestsModule,
        SubscriptionsModule,
        ...extensions,
      ],
    };
  }
}
