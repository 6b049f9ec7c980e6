import { Module } from '@nestjs/common';
import { ServiceModule } from '../../platform/service-module';
import { WebhooksModule } from '../events/webhooks/webhooks.module';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentRequestsModule } from '../payment-requests/payment-requests.module';
import { TransactionsModule } from '../transactions/transactions.module';
import { OperatorTotals } from './totals.service';
import { TotalsController } from './totals.controller';

/** The figures of the operator over all accounts. */
@Module({
  imports: [LedgerModule, PaymentRequestsModule, TransactionsModule, WebhooksModule],
  controllers: [TotalsController],
  providers: [OperatorTotals],
})
class TotalsModule {}

export const totals: ServiceModule = {
  module: TotalsModule,
  entities: [],
  tags: [{ name: 'Totals', description: 'The figures of the operator over all accounts.' }],
};
