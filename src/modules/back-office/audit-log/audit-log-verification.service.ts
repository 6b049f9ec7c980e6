import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Snapshot } from '../../../platform/database/tx';
import {
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
      for (const { entry, recorded } of batch) audit.entry(entry, recorded);
      progress(audit.entries, head?.sequence ?? 0);
    }
    for await (const batch of this.repository.streamUnsealed(snapshot))
      for (const { entry, recorded } of batch) audit.waiting(entry, recorded);
    for await (const batch of this.repository.streamLost(snapshot)) for (const id of batch) audit.lost(id);
    const faults = [...audit.end(head), ...(await this.repository.guardFaults(snapshot))];
    return { entries: audit.entries, unsealed: audit.unsealed, faults };
  }
}
