import { Module, OnModuleInit } from '@nestjs/common';
import { AccountClosing, AccountsModule, LedgerModule, ServiceModule } from 'countinghouse';
import { PayoutsController } from './payouts.controller';
import { Payouts1798761600000 } from './payouts.migration';
import { Payouts } from './payouts.service';
import { payoutSchema, PayoutsTable } from './payouts.table';

@Module({
  imports: [AccountsModule, LedgerModule],
  controllers: [PayoutsController],
  providers: [Payouts, PayoutsTable],
})
class PayoutsModule implements OnModuleInit {
  constructor(
    private readonly closing: AccountClosing,
    private readonly payouts: Payouts,
  ) {}

  onModuleInit(): void {
    this.closing.register({
      name: 'payouts',
      veto: (tx, account) => this.payouts.assertNonePending(tx, account),
    });
  }
}

/** Everything that payouts bring to a service. */
export const payouts: ServiceModule = {
  module: PayoutsModule,
  entities: [payoutSchema],
  migrations: [Payouts1798761600000],
  idPrefixes: ['pout'],
  tags: [{ name: 'Payouts', description: 'Money that leaves an account for the bank account of its owner.' }],
};
