import { Module } from '@nestjs/common';
import { exportAsCsv } from '../../../platform/http/csv-export';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { AuthModule } from '../../auth/auth.module';
import { accountOwnedSource, SearchSources } from '../search/search-sources';
import { SearchModule } from '../search/search.module';
import { ApprovalExpiry } from './application/approval-expiry';
import { ApprovalLimitService } from './application/approval-limit.service';
import { ApprovalsService } from './application/approvals.service';
import { approvalsSettings } from './approvals.settings';
import { ApprovalKinds } from './domain/approval-kinds';
import { ApprovalLimit } from './domain/approval-limit';
import { Approvals } from './domain/approvals';
import { ApprovalsRepository } from './domain/approvals.repository';
import { UnapprovedAmounts } from './domain/unapproved-amounts';
import { ApprovalsController } from './http/approvals.controller';
import { approvalResponse, ApprovalResponse, ApprovalsResponse } from './http/approvals.dto';
import { approvalSchema } from './infrastructure/approval.schema';
import { SqlUnapprovedAmounts } from './infrastructure/sql-unapproved-amounts';
import { TypeormApprovalsRepository } from './infrastructure/typeorm-approvals.repository';
import { unapprovedAmountSchema } from './infrastructure/unapproved-amount.schema';

exportAsCsv(ApprovalsController, 'list', ApprovalsResponse);

/** Changes that one admin asks for and a second one approves. Later modules register what they are. */
@Module({
  imports: [AuthModule, SearchModule],
  controllers: [ApprovalsController],
  providers: [
    { provide: Approvals, useClass: ApprovalsService },
    ApprovalExpiry,
    ApprovalKinds,
    { provide: ApprovalLimit, useClass: ApprovalLimitService },
    { provide: UnapprovedAmounts, useClass: SqlUnapprovedAmounts },
    { provide: ApprovalsRepository, useClass: TypeormApprovalsRepository },
    register(PeriodicTasks, [ApprovalExpiry], (expiry) => expiry),
    register(SearchSources, [Approvals], (reader) =>
      accountOwnedSource({
        name: 'approval',
        scope: null,
        reader,
        filters: () => [],
        render: approvalResponse,
      }),
    ),
  ],
  exports: [Approvals, ApprovalKinds, ApprovalLimit],
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
      response: ApprovalResponse,
      render: approvalResponse,
    },
  ],
};
