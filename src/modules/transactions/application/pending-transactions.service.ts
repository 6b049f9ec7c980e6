import { Injectable } from '@nestjs/common';
import { Backlog } from '../../../platform/database/account-owned-repository';
import { mergedBacklog } from '../../../platform/database/lists/backlog';
import { Direction } from '../../accounts';
import { PendingTransactions } from '../domain/pending-transactions';
import { TransactionsRepository } from '../domain/transactions.repository';

@Injectable()
export class PendingTransactionsService extends PendingTransactions {
  constructor(private readonly repository: TransactionsRepository) {
    super();
  }

  async backlogs(): Promise<Readonly<Record<Direction, Backlog>>> {
    const [payments, credits, refunds] = await Promise.all([
      this.repository.pending('payment'),
      this.repository.pending('credit'),
      this.repository.pending('refund'),
    ]);
    return { in: mergedBacklog([payments, credits]), out: refunds };
  }
}
