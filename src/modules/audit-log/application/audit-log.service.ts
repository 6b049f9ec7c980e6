import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { isBackOffice, Principal } from '../../auth';
import { AuditEntry } from '../domain/audit-entry';
import { AuditFilter, AuditLogRepository } from '../domain/audit-log.repository';

/** Reads the audit log on behalf of admins. */
@Injectable()
export class AuditLog {
  constructor(private readonly repository: AuditLogRepository) {}

  /** @throws DomainError `forbidden` for callers other than admins; `invalid_request` for an unknown cursor */
  async list(caller: Principal, filter: AuditFilter, page: CursorRequest): Promise<CursorPage<AuditEntry>> {
    assertAdmin(caller);
    return this.repository.list(filter, page);
  }

  /** @throws DomainError `forbidden` for callers other than admins; `not_found` */
  async get(caller: Principal, id: string): Promise<AuditEntry> {
    assertAdmin(caller);
    const entry = await this.search(caller, id);
    if (entry === null) throw new DomainError('not_found', 'There is no such audit log entry.');
    return entry;
  }

  /** Returns the entry with this id; null if there is none, and for callers other than the back office. */
  async search(caller: Principal, id: string): Promise<AuditEntry | null> {
    return isBackOffice(caller) && isId('aud', id) ? this.repository.find(id) : null;
  }
}

function assertAdmin(caller: Principal): void {
  if (!isBackOffice(caller))
    throw new DomainError('forbidden', 'Only the back office can read the audit log.');
}
