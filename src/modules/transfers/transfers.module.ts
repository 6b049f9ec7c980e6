import { Module } from '@nestjs/common';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { cancelInParts, ClosingHooks } from '../accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { accountOwnedSource, ApprovalKinds, SearchSources, spellCases } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentSplits } from '../transactions';
import { TransactionsModule } from '../transactions/transactions.module';
import { TransferApprovals } from './transfer-approvals.service';
import { accountNamesOfTransfers } from './account-names.change';
import { TransferHooks } from './transfer';
import { TransferProcessing } from './transfer-processing.service';
import { TransfersController } from './transfers.controller';
import { TransferResponse, transferResponse } from './transfers.dto';
import { MAX_CLOSED, TransfersRepository, transferSchema } from './transfers.repository';
import { Transfers } from './transfers.service';

/** Money between accounts. */
@Module({
  imports: [AccountsModule, ApprovalsModule, LedgerModule, SearchModule, TransactionsModule],
  controllers: [TransfersController],
  providers: [
    Transfers,
    TransferProcessing,
    TransferApprovals,
    TransferHooks,
    TransfersRepository,
    register(ApprovalKinds, [TransferApprovals], (approval) => approval),
    register(PaymentSplits, [TransferProcessing], (processing) => processing),
    register(PeriodicTasks, [TransfersRepository, Transfers], (repository, transfers) => ({
      name: 'transfer expiry',
      wokenBy: ['transfers'],
      batchSize: 16,
      findDue: (now, excludedIds, limit) => repository.findDue(now, excludedIds, limit),
      // Each in its own database transaction, since each locks other accounts.
      process: async (accountId, ids) => {
        for (const id of ids) await transfers.expire(accountId, id);
      },
    })),
    register(SearchSources, [Transfers], (reader) =>
      accountOwnedSource({
        name: 'transfer',
        scope: 'transfers:read',
        reader,
        filters: (text) => spellCases(text).map((reference) => ({ reference })),
        response: TransferResponse,
        render: transferResponse,
      }),
    ),
    register(ClosingHooks, [TransfersRepository, TransferProcessing], (repository, processing) => ({
      name: 'transfers',
      ...cancelInParts(
        (tx, accountId, limit) => repository.pendingOf(tx, accountId, limit),
        (tx, _account, transfer, now, accounts) => processing.cancelOf(tx, accounts, transfer, now),
        MAX_CLOSED,
      ),
      partners: (tx, accountId) => repository.partnersOf(tx, accountId),
    })),
  ],
  exports: [TransferHooks],
})
export class TransfersModule {}

export const transfers: ServiceModule = {
  module: TransfersModule,
  entities: [transferSchema],
  idPrefixes: ['trf'],
  scopes: [{ name: 'transfers:read' }, { name: 'transfers:write' }],
  apiChanges: [accountNamesOfTransfers],
  tags: [{ name: 'Transfers', description: 'Money between accounts.' }],
  events: [
    {
      resource: 'transfer',
      scope: 'transfers:read',
      actions: {
        created: 'A pending transfer was created: it holds the money of the account that gives.',
        succeeded: 'A transfer succeeded at its creation: its money has moved.',
        captured: 'The money of a pending transfer has moved, perhaps a part of it.',
        canceled: 'A pending transfer was canceled.',
        expired: 'A pending transfer has expired.',
        reversed: 'Money of a transfer was sent back, by a transfer of its own.',
      },
      examples: {
        captured: { status: 'succeeded' },
        reversed: { status: 'succeeded', reversed_amount: 250 },
      },
      response: TransferResponse,
      render: transferResponse,
    },
  ],
};
