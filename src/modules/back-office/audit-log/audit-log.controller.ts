import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { Principal } from '../../auth';
import { Caller } from '../../auth/http';
import { AuditLog } from './audit-log.service';
import { AuditEntryResponse, auditEntryResponse, AuditLogResponse, ListAuditLogQuery } from './audit-log.dto';

/** Who did what to which object, for the back office. */
@ApiTags('Audit log')
@Controller('v1/audit-log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLog) {}

  @Get()
  @Operation({
    id: 'listAuditLog',
    summary: 'List audit log entries',
    errors: ['forbidden'],
    description:
      'For admins and support people. Newest first. For example, `?object_id=acc_…&action=account.suspend` returns who suspended an account, when and why.',
    response: { type: AuditLogResponse, description: 'One page.' },
    alsoAs: ['text/csv'],
  })
  list(
    @Caller() caller: Principal,
    @Query() query: ListAuditLogQuery,
  ): Promise<AuditLogResponse | StreamableFile> {
    return listOrCsv(AuditLogResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.auditLog.list(caller, filter, page), auditEntryResponse);
    });
  }

  @Get(':audit_entry_id')
  @Operation({
    id: 'getAuditEntry',
    summary: 'Retrieve an audit log entry',
    errors: ['forbidden', 'not_found'],
    description: 'For admins and support people.',
    response: { type: AuditEntryResponse, description: 'The entry.' },
  })
  async get(
    @Caller() caller: Principal,
    @IdParam('audit_entry_id', 'aud', 'The id of the entry.') id: string,
  ): Promise<AuditEntryResponse> {
    return auditEntryResponse(await this.auditLog.get(caller, id));
  }
}
