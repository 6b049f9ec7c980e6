import { Module } from '@nestjs/common';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AccountsModule } from '../../accounts/accounts.module';
import { AuthModule } from '../../auth/auth.module';
import { accountOwnedSource, ApprovalKinds, SearchSources, spellCases } from '../../back-office';
import { ApprovalsModule } from '../../back-office/approvals/approvals.module';
import { SearchModule } from '../../back-office/search/search.module';
import { LedgerModule } from '../ledger.module';
import {
  AccountAdjustmentsController,
  adjustmentResponse,
  AdjustmentResponse,
  AdjustmentsController,
} from './adjustments.controllers';
import { adjustmentSchema, AdjustmentsRepository } from './adjustments.repository';
import { AdjustmentPostings, Adjustments } from './adjustments.service';

/** Corrections of balances by admins. */
@Module({
  imports: [AuthModule, ApprovalsModule, AccountsModule, LedgerModule, SearchModule],
  controllers: [AccountAdjustmentsController, AdjustmentsController],
  providers: [
    Adjustments,
    AdjustmentPostings,
    AdjustmentsRepository,
    register(ApprovalKinds, [AdjustmentPostings], (postings) => postings),
    register(SearchSources, [Adjustments], (reader) =>
      accountOwnedSource({
        name: 'adjustment',
        scope: 'transactions:read',
        reader,
        filters: (text) => spellCases(text).map((reference) => ({ reference })),
        response: AdjustmentResponse,
        render: adjustmentResponse,
      }),
    ),
  ],
})
class AdjustmentsModule {}

export const adjustments: ServiceModule = {
  module: AdjustmentsModule,
  entities: [adjustmentSchema],
  idPrefixes: ['adj'],
  tags: [{ name: 'Adjustments', description: 'Corrections of balances by admins.' }],
  events: [
    {
      resource: 'adjustment',
      scope: 'transactions:read',
      actions: {
        created: 'An admin asked for a correction that a second admin has to approve.',
        posted: 'The balance of an account was corrected.',
        rejected: 'A correction was rejected.',
        expired: 'A correction was not approved in time.',
      },
      operatorsOnly: true,
      response: AdjustmentResponse,
      render: adjustmentResponse,
    },
  ],
};
