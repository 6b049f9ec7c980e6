import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { PeriodicTasks } from '../../../platform/jobs/periodic-tasks';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { SearchSources } from '../search/search-sources';
import { SearchModule } from '../search/search.module';
import { auditEntrySchema } from './audit-entry.schema';
import { AuditLogErasure, AuditLogVerification } from './audit-log-verification';
import { AuditLogErasureService, AuditLogVerificationService } from './audit-log-verification.service';
import { auditEntryResponse, AuditEntryResponse, AuditLogController } from './audit-log.controller';
import { AuditLogRepository } from './audit-log.repository';
import { AuditLog, AuditLogSealing } from './audit-log.service';
import { PostgresAuditTrail } from './audit-trail.repository';
import { RefusedActions } from './refused-actions.filter';

/** Who did what to which object. It provides the audit trail to all modules, also to those below it. */
@Global()
@Module({
  imports: [SearchModule],
  controllers: [AuditLogController],
  providers: [
    AuditLog,
    AuditLogSealing,
    { provide: AuditLogVerification, useClass: AuditLogVerificationService },
    { provide: AuditLogErasure, useClass: AuditLogErasureService },
    { provide: APP_FILTER, useClass: RefusedActions },
    { provide: AuditTrail, useClass: PostgresAuditTrail },
    AuditLogRepository,
    register(PeriodicTasks, [AuditLogSealing], (sealing) => sealing),
    register(SearchSources, [AuditLog], (entries) => ({
      name: 'audit_entry',
      scope: null,
      response: AuditEntryResponse,
      find: async (caller, text) => {
        const entry = await entries.search(caller, text);
        return entry === null
          ? []
          : [{ id: entry.id, accountId: entry.accountId, object: auditEntryResponse(entry) }];
      },
    })),
  ],
  exports: [AuditTrail, AuditLogVerification],
})
class AuditLogModule {}

export const auditLog: ServiceModule = {
  module: AuditLogModule,
  entities: [auditEntrySchema],
  idPrefixes: ['aud'],
  tags: [{ name: 'Audit log', description: 'Who did what, when, from where and with which outcome.' }],
};
