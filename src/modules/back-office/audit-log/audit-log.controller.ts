import { Controller, Get, Query } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { AuditOutcome, auditOutcomes } from '../../../platform/audit/audit-trail';
import { listOrCsv } from '../../../platform/http/csv-export';
import {
  CursorListQuery,
  FormatParam,
  ListFormat,
  parseListRequest,
} from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { EnumField } from '../../../platform/http/request-fields';
import {
  cursorListResponse,
  CursorListResponse,
  exampleId,
  IdResponseField,
  idSchema,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Caller, Principal } from '../../auth/http';
import { ShownEntry } from './audit-entry';
import { AuditLog } from './audit-log.service';

const MAX_CHARACTERS = 64;

nameEnum('AuditOutcome', auditOutcomes);

/** A value as it was before a change or after it; null for none. */
const ChangedValue = (example: string) =>
  ApiProperty({
    anyOf: [
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'array', items: {} },
      { type: 'object', additionalProperties: true },
    ],
    nullable: true,
    example,
  });

class ListAuditLogQuery extends CursorListQuery('aud', 'entries', {
  actor_id: { maxCharacters: MAX_CHARACTERS, example: exampleId('usr') },
  action: { maxCharacters: MAX_CHARACTERS, example: 'account.suspend' },
  object_id: { maxCharacters: MAX_CHARACTERS, example: exampleId('acc') },
  outcome: auditOutcomes,
}) {
  @EnumField(['true', 'false'], {
    optional: true,
    description: '`false` leaves out the reads of users, accounts and sessions.',
  })
  reads?: 'true' | 'false';

  @FormatParam() format?: ListFormat;
}

class AuditedChangeResponse {
  @ResponseField({
    example: 'settings.language',
    description: 'The member of the object, with that of an object in it after a dot.',
  })
  member: string;

  @ChangedValue('en') from: unknown;
  @ChangedValue('de') to: unknown;
}

export class AuditEntryResponse {
  @IdResponseField('aud') id: string;

  @ResponseField({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    nullable: true,
    example: 1842,
    description:
      'Its place in the chain of hashes, from 1 without gaps, in the order in which entries are sealed. Null until it is sealed, which takes about a second.',
  })
  sequence: number | null;

  @Timestamp() created_at: string;

  @ResponseField({
    nullable: true,
    example: exampleId('usr'),
    description:
      'The user or account that acted; `system` for the service itself; null for a caller who is not authenticated.',
  })
  actor_id: string | null;

  @ResponseField({ nullable: true, example: 'admin' }) actor_role: string | null;
  @IdResponseField('ses', { nullable: true }) session_id: string | null;
  @ResponseField({ example: 'account.suspend' }) action: string;

  @ResponseField({ nullable: true, example: exampleId('acc'), description: 'The object of the action.' })
  object_id: string | null;

  @ResponseField({
    nullable: true,
    ...idSchema('acc'),
    description: 'The account that the object belongs to.',
  })
  account_id: string | null;

  @ResponseField({
    enum: auditOutcomes,
    description: '`failed`: the caller could not prove who they are. `refused`: the action was not allowed.',
  })
  outcome: AuditOutcome;

  @ResponseField({
    nullable: true,
    example: 'Chargebacks above the limit',
    description: 'Why, as the caller stated it.',
  })
  reason: string | null;

  @ResponseField({
    type: 'object',
    additionalProperties: true,
    example: { changed: ['status'] },
    description: 'Further facts, which depend on the action.',
  })
  details: Readonly<Record<string, unknown>>;

  @ResponseField({
    type: [AuditedChangeResponse],
    nullable: true,
    description:
      'What was changed, from what to what; empty for other actions and for entries of earlier releases. Null once it was erased.',
  })
  changes: readonly AuditedChangeResponse[] | null;

  @ResponseField({ nullable: true, example: '203.0.113.7' }) ip: string | null;
  @ResponseField({ nullable: true, example: 'curl/8.5.0' }) user_agent: string | null;

  @ResponseField({
    nullable: true,
    example: '0b8f0a51-6f43-4a1e-9d0c-6c0d3a4f0d11',
    description: 'The X-Request-Id of the request, by which the log names it.',
  })
  request_id: string | null;
}

class AuditLogResponse extends CursorListResponse(AuditEntryResponse) {}

export function auditEntryResponse(entry: ShownEntry): AuditEntryResponse {
  return {
    id: entry.id,
    sequence: entry.sequence,
    created_at: entry.createdAt.toISOString(),
    actor_id: entry.actorId,
    actor_role: entry.actorRole,
    session_id: entry.sessionId,
    action: entry.action,
    object_id: entry.objectId,
    account_id: entry.accountId,
    outcome: entry.outcome,
    reason: entry.reason,
    details: entry.details,
    changes: entry.changes ?? ('changes_hash' in entry.details ? null : []),
    ip: entry.ip,
    user_agent: entry.userAgent,
    request_id: entry.requestId,
  };
}

/** Who did what to which object, for the back office. */
@ApiTags('Audit log')
@Controller('v1/audit-log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLog) {}

  @Get()
  @Operation({
    id: 'listAuditLog',
    summary: 'List audit log entries',
    description:
      'For admins and support people. Newest first. For example, `?object_id=acc_…&action=account.suspend` returns who suspended an account, when and why.',
    response: { type: AuditLogResponse, description: 'One page.' },
    alsoAs: ['text/csv'],
  })
  list(@Caller() caller: Principal, @Query() query: ListAuditLogQuery) {
    return listOrCsv(AuditLogResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.auditLog.list(caller, filter, page), auditEntryResponse);
    });
  }

  @Get(':audit_entry_id')
  @Operation({
    id: 'getAuditEntry',
    summary: 'Retrieve an audit log entry',
    errors: ['not_found'],
    description: 'For admins and support people.',
    response: { type: AuditEntryResponse, description: 'The entry.' },
  })
  async get(
    @Caller() caller: Principal,
    @IdParam('audit_entry_id', 'aud', 'The id of the entry.') id: string,
  ) {
    return auditEntryResponse(await this.auditLog.get(caller, id));
  }
}
