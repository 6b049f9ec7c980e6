import { Module } from '@nestjs/common';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AuthModule } from '../../auth/auth.module';
import { accountOwnedSource, SearchSources } from '../search/search-sources';
import { SearchModule } from '../search/search.module';
import { ApprovalKinds } from './approval';
import { ApprovalDecisions, ApprovingAdmins } from './approval-decisions.service';
import { approvalResponse, ApprovalResponse, ApprovalsController } from './approvals.controller';
import { approvalSchema, ApprovalsRepository, unapprovedAmountSchema } from './approvals.repository';
import { Approvals } from './approvals.service';
import { approvalsSettings } from './approvals.settings';

/** Changes that one admin asks for and a second one approves. Later modules register what they are. */
@Module({
  imports: [AuthModule, SearchModule],
  controllers: [ApprovalsController],
  providers: [
    Approvals,
    ApprovalDecisions,
    ApprovingAdmins,
    ApprovalKinds,
    ApprovalsRepository,
    register(PeriodicTasks, [ApprovalsRepository, ApprovalDecisions], (repository, decisions) => ({
      name: 'approvals',
      wokenBy: ['approvals'],
      batchSize: 20,
      findDue: (now, excludedIds, limit) => repository.findDue(now, excludedIds, limit),
      process: (accountId, ids) => decisions.expire(accountId, ids),
    })),
    register(SearchSources, [ApprovalDecisions], (reader) =>
      accountOwnedSource({
        name: 'approval',
        scope: null,
        reader,
        filters: () => [],
        response: ApprovalResponse,
        render: approvalResponse,
      }),
    ),
  ],
  exports: [Approvals, ApprovalKinds],
})
export class ApprovalsModule {}

export const approvals: ServiceModule = {
  module: ApprovalsModule,
  entities: [approvalSchema, unapprovedAmountSchema],
  settings: [approvalsSettings],
  idPrefixes: ['apr'],
  tags: [{ name: 'Approvals', description: 'What one admin asks for and a second one approves.' }],
  events: [
    {
      resource: 'approval',
      actions: {
        created: 'An admin asked for an approval.',
        approved: 'A second admin approved it, and it took effect.',
        rejected: 'An admin rejected it.',
        expired: 'Nobody decided it within 7 days.',
      },
      operatorsOnly: true,
      hiddenFromPlatforms: true,
      examples: {
        created: { details: {}, decided_by: null, rejection_reason: null },
        approved: { details: {}, rejection_reason: null },
        rejected: { details: {} },
        expired: { details: {}, decided_by: null, rejection_reason: null },
      },
      response: ApprovalResponse,
      render: approvalResponse,
    },
  ],
};
