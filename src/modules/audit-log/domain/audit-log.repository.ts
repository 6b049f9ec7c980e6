import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Snapshot } from '../../../platform/database/tx';
import { AuditOutcome } from '../../../platform/audit/audit-trail';
import { AuditEntry } from './audit-entry';

/** Filters entries by the values of members and by inclusive bounds of the time. */
export interface AuditFilter {
  readonly actorId?: string;
  readonly action?: string;
  readonly objectId?: string;
  readonly accountId?: string;
  readonly outcome?: AuditOutcome;
  readonly dateFrom?: Date;
  readonly dateTo?: Date;
}

/** The end of the chain. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: Buffer;
}

/** Reads the audit log. AuditTrail is the only way to write it. */
export abstract class AuditLogRepository {
  abstract find(id: string): Promise<AuditEntry | null>;
  /**
   * Reads one page, newest first.
   * @throws DomainError `invalid_request` for an unknown cursor
   */
  abstract list(filter: AuditFilter, page: CursorRequest): Promise<CursorPage<AuditEntry>>;
  /** Reads all entries in batches, in the order of the chain. */
  abstract stream(snapshot: Snapshot): AsyncIterable<AuditEntry[]>;
  /** Returns the head of the chain, or null when it is missing. */
  abstract head(snapshot: Snapshot): Promise<ChainHead | null>;
  /** One line for each trigger that should keep the chain append-only and does not. */
  abstract guardFaults(snapshot: Snapshot): Promise<readonly string[]>;
}
