import { Module } from '@nestjs/common';
import { ServiceModule } from '../../platform/service-module';
import { LedgerModule } from '../ledger';
import { TransactionsModule } from '../transactions';
import { UnappliedPaymentsModule } from '../unapplied-payments';
import { WebhooksModule } from '../webhooks';
import { OperatorTotals } from './application/operator-totals.service';
import { TotalsController } from './http/totals.controller';

/** The figures of the operator over all accounts. */
@Module({
  imports: [LedgerModule, TransactionsModule, UnappliedPaymentsModule, WebhooksModule],
  controllers: [TotalsController],
  providers: [OperatorTotals],
})
class TotalsModule {}

export const totals: ServiceModule = {
  module: TotalsModule,
  entities: [],
  tags: [{ name: 'Totals', description: 'The figures of the operator over all accounts.' }],
};
