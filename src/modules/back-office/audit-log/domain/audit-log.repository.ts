import type { CursorPage, CursorRequest } from '../../../../kernel/pages';
import type { AuditOutcome } from '../../../../platform/audit/audit-trail';
import type { Snapshot, Tx } from '../../../../platform/database/tx';
import type { AuditEntry, NewAuditEntry, SealedEntry } from './audit-entry';

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

/** An entry that waits to be sealed. */
export interface UnsealedEntry {
  readonly id: string;
  readonly digest: Buffer;
}

/** The place of an entry in the chain. */
export interface Seal extends ChainHead {
  readonly id: string;
}

/** What the verification reads, each with the digest of its receipt. */
export interface RecordedEntry<Entry> {
  readonly entry: Entry;
  readonly recorded: Buffer | null;
}

/** Reads the audit log and seals its entries. AuditTrail is the only way to add one. */
export abstract class AuditLogRepository {
  abstract find(id: string): Promise<AuditEntry | null>;
  /**
   * Reads one page, newest first.
   * @throws DomainError `invalid_request` for an unknown cursor
   */
  abstract list(filter: AuditFilter, page: CursorRequest): Promise<CursorPage<AuditEntry>>;

  abstract hasUnsealed(): Promise<boolean>;
  /** Locks the head of the chain, which orders those who extend it, and returns it; null when it is missing. */
  abstract lockHead(tx: Tx): Promise<ChainHead | null>;
  /** The first entries that wait to be sealed, in the order of their ids. */
  abstract unsealed(tx: Tx, limit: number): Promise<UnsealedEntry[]>;
  /** Moves entries to the end of the chain. */
  abstract seal(tx: Tx, seals: readonly Seal[]): void;

  /** Reads all sealed entries in batches, in the order of the chain. */
  abstract stream(snapshot: Snapshot): AsyncIterable<RecordedEntry<SealedEntry>[]>;
  /** Reads all entries that wait to be sealed, in batches. */
  abstract streamUnsealed(
    snapshot: Snapshot,
  ): AsyncIterable<RecordedEntry<NewAuditEntry & { readonly digest: Buffer }>[]>;
  /** Reads the ids of entries that have a receipt only, in batches. */
  abstract streamLost(snapshot: Snapshot): AsyncIterable<string[]>;
  /** Returns the head of the chain, or null when it is missing. */
  abstract head(snapshot: Snapshot): Promise<ChainHead | null>;
  /** One line for each trigger that should keep the log append-only and does not. */
  abstract guardFaults(snapshot: Snapshot): Promise<readonly string[]>;
}
