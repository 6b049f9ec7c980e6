import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import type { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { chainHash } from './audit-entry';
import { AuditLogRepository, Seal } from './audit-log.repository';

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
  readonly wokenBy = ['audit_log_unsealed'];

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
    // Another replica has sealed nothing of what this statement sees, since it is sent under the lock.
    for (const { id, digest } of await this.repository.unsealed(tx, BATCH)) {
      head = { sequence: head.sequence + 1, hash: chainHash(digest, head.hash) };
      seals.push({ id, ...head });
    }
    if (seals.length > 0) this.repository.seal(tx, seals);
    return seals.length;
  }
}
