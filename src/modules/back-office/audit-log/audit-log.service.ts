import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { assertBackOffice, isBackOffice, Principal } from '../../auth';
import { ShownEntry } from './audit-entry';
import { AuditFilter, AuditLogRepository } from './audit-log.repository';

const BACK_OFFICE_ONLY = 'Only the back office can read the audit log.';

/** Reads the audit log on behalf of the back office. */
@Injectable()
export class AuditLog {
  constructor(private readonly repository: AuditLogRepository) {}

  /** @throws DomainError `forbidden` for callers other than the back office */
  async list(caller: Principal, filter: AuditFilter, page: CursorRequest): Promise<CursorPage<ShownEntry>> {
    assertBackOffice(caller, BACK_OFFICE_ONLY);
    return this.repository.list(filter, page);
  }

  /** @throws DomainError `forbidden` for callers other than the back office; `not_found` */
  async get(caller: Principal, id: string): Promise<ShownEntry> {
    assertBackOffice(caller, BACK_OFFICE_ONLY);
    const entry = await this.search(caller, id);
    if (entry === null) throw new DomainError('not_found', 'There is no such audit log entry.');
    return entry;
  }

  /** Returns the entry with this id; null if there is none, and for callers other than the back office. */
  async search(caller: Principal, id: string): Promise<ShownEntry | null> {
    return isBackOffice(caller) && isId('aud', id) ? this.repository.find(id) : null;
  }
}
