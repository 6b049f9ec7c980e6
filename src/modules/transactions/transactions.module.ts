import { Module, OnModuleInit } from '@nestjs/common';
import { AccountClosing, AccountsModule } from '../accounts';
import { Transactions } from './application/transactions.service';
import { TransactionsRepository } from './domain/transactions.repository';
import { TransactionsController } from './http/transactions.controller';
import { TypeormTransactionsRepository } from './infrastructure/typeorm-transactions.repository';

/** Payments, credits and refunds of an account. */
@Module({
  imports: [AccountsModule],
  controllers: [TransactionsController],
  providers: [Transactions, { provide: TransactionsRepository, useClass: TypeormTransactionsRepository }],
})
export class TransactionsModule implements OnModuleInit {
  constructor(
    private readonly closing: AccountClosing,
    private readonly transactions: Transactions,
  ) {}

  onModuleInit(): void {
    this.closing.join({
      name: 'transactions',
      carryOut: async (tx, account, now) => this.transactions.cancelAllOf(tx, account, now),
    });
  }
}
