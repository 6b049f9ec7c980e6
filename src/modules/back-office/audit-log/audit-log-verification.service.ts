import { Injectable } from '@nestjs/common';
import { AuditTrail, systemActor } from '../../../platform/audit/audit-trail';
import { Database, Snapshot } from '../../../platform/database/database';
import {
  AuditLogErasure,
  AuditLogVerification,
  AuditLogVerificationResult,
  ChainAudit,
  Progress,
} from './audit-log-verification';
import { AuditLogRepository } from './audit-log.repository';

@Injectable()
export class AuditLogVerificationService extends AuditLogVerification {
  constructor(
    private readonly database: Database,
    private readonly repository: AuditLogRepository,
  ) {
    super();
  }

  run(progress: Progress): Promise<AuditLogVerificationResult> {
    return this.database.snapshot((snapshot) => this.verify(snapshot, progress));
  }

  private async verify(snapshot: Snapshot, progress: Progress): Promise<AuditLogVerificationResult> {
    const audit = new ChainAudit();
    const head = await this.repository.head(snapshot);
    for await (const batch of this.repository.stream(snapshot)) {
      for (const { entry, kept } of batch) audit.entry(entry, kept);
      progress(audit.entries, head?.sequence ?? 0);
    }
    for await (const batch of this.repository.streamUnsealed(snapshot))
      for (const { entry, kept } of batch) audit.waiting(entry, kept);
    for await (const batch of this.repository.streamReceipts(snapshot))
      for (const { id, digest, entry } of batch) audit.receipt(id, digest, entry);
    const faults = [...audit.end(head), ...(await this.repository.guardFaults(snapshot))];
    return { entries: audit.entries, unsealed: audit.unsealed, erased: audit.erased, faults };
  }
}

@Injectable()
export class AuditLogErasureService extends AuditLogErasure {
  constructor(
    private readonly database: Database,
    private readonly repository: AuditLogRepository,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  run(id: string, reason: string): Promise<number> {
    return this.database.transaction(async (tx) => {
      const count = await this.repository.eraseChanges(tx, id);
      const event = { action: 'audit_log.erase', objectId: id, reason, details: { count } };
      this.audit.record(tx, systemActor, event);
      return count;
    });
  }
}
