import { Module } from '@nestjs/common';
import { AccountsModule, ClosingHooks, LedgerModule, register, ServiceModule } from 'countinghouse';
import { PayoutsController } from './payouts.controller';
import { Payouts1798761600000 } from './payouts.migration';
import { Payouts } from './payouts.service';
import { payoutSchema, PayoutsTable } from './payouts.table';

@Module({
  imports: [AccountsModule, LedgerModule],
  controllers: [PayoutsController],
  providers: [
    Payouts,
    PayoutsTable,
    register(ClosingHooks, [Payouts], (service) => ({
      name: 'payouts',
      veto: (tx, account) => service.assertNonePending(tx, account),
    })),
  ],
})
class PayoutsModule {}

/** Everything that payouts bring to a service. */
export const payouts: ServiceModule = {
  module: PayoutsModule,
  entities: [payoutSchema],
  migrations: [Payouts1798761600000],
  idPrefixes: ['pout'],
  scopes: [
    { name: 'payouts:read', within: 'transactions:read' },
    { name: 'payouts:write', within: 'transactions:write' },
  ],
  tags: [{ name: 'Payouts', description: 'Money that leaves an account for the bank account of its owner.' }],
};
