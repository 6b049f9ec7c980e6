import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Database, Tx } from '../../../platform/database/database';
import type { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { assertBackOffice, isBackOffice, Principal } from '../../auth';
import { chainHash, ShownEntry } from './audit-entry';
import { AuditFilter, AuditLogRepository, Seal } from './audit-log.repository';

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

/** Entries that are sealed in one database transaction. */
const BATCH = 500;

/**
 * Seals the entries that transactions have recorded: moves them to the end of the chain. Only sealing locks the head of
 * the chain, so no request waits for another one's entry. An entry whose transaction commits late is sealed later than
 * those recorded after it.
 */
@Injectable()
export class AuditLogSealing implements PeriodicTask {
  readonly name = 'sealing of the audit log';
  readonly intervalMs = 500;
  readonly wokenBy = ['audit_log_unsealed', 'account_audit_entries'];

  constructor(
    private readonly database: Database,
    private readonly repository: AuditLogRepository,
  ) {}

  async run(): Promise<boolean> {
    if (!(await this.repository.hasUnsealed())) return false;
    return (await this.database.transaction((tx) => this.sealBatch(tx))) === BATCH;
  }

  /** @returns how many entries are sealed */
  private async sealBatch(tx: Tx): Promise<number> {
    let head = await this.repository.lockHead(tx);
    if (head === null) throw new Error('The head of the audit log is missing.');
    const seals: Seal[] = [];
    // Another replica has sealed nothing of what is read, since that is read under the lock.
    for (const waiting of await this.repository.unsealed(tx, BATCH)) {
      head = { sequence: head.sequence + 1, hash: chainHash(waiting.digest, head.hash) };
      seals.push({ ...waiting, ...head });
    }
    if (seals.length > 0) this.repository.seal(tx, seals);
    return seals.length;
  }
}
