import type {
  AuditEntry,
  ChainHead,
  KeptChanges,
  NewAuditEntry,
  SealedEntry,
  UnsealedEntry,
} from './audit-entry';
import { chainHash, digestEntry, hashChanges } from './audit-entry';

export interface AuditLogVerificationResult {
  /** Sealed entries. */
  readonly entries: number;
  /** Entries that wait to be sealed, which is no fault. */
  readonly unsealed: number;
  /** Entries whose old and new values were erased, which is no fault. */
  readonly erased: number;
  /** One line for each fault, up to a limit. */
  readonly faults: readonly string[];
}

export type Progress = (entries: number, total: number) => void;

/** Checks the chain of the audit log, and that all recorded entries are there, on one snapshot, while the service can continue to write. */
export abstract class AuditLogVerification {
  /** @param progress is called with the number of entries that are checked and of all entries, once per batch */
  abstract run(progress: Progress): Promise<AuditLogVerificationResult>;
}

/** Erases what entries say was changed, so that a person is forgotten while the chain still verifies. */
export abstract class AuditLogErasure {
  /**
   * @param id of a user or an account: the entries about it, and about what the account owns, lose their values
   * @param reason for the audit log
   * @returns how many entries had values
   */
  abstract run(id: string, reason: string): Promise<number>;
}

/** More faults than this say nothing new, and memory must not grow with them. */
const MAX_FAULTS = 100;

/** Checks the entries of the audit log one after the other, then the receipts, and then the head of the chain. */
export class ChainAudit {
  /** The number of sealed entries that are checked. */
  entries = 0;
  /** The number of entries that wait to be sealed. */
  unsealed = 0;
  /** The number of entries whose changes were erased. */
  erased = 0;
  private readonly faults: string[] = [];
  /** The ids of entries that are reported, up to the limit: a receipt says nothing new about them. */
  private readonly reported = new Set<string>();
  /** The ids of entries that wait to be sealed and whose receipts are not read yet. */
  private readonly withoutReceipt = new Set<string>();
  private last: ChainHead = { sequence: 0, hash: Buffer.alloc(0) };

  /**
   * Checks the next entry of the chain. An entry after a gap is not compared, since the hash before it is unknown; each
   * other entry is compared with the stored hash before it, so that a changed entry is reported once.
   * @param kept what is stored beside it; null for nothing
   */
  entry(entry: SealedEntry, kept: KeptChanges | null = null): void {
    const { id, sequence, hash } = entry;
    const expected = this.last.sequence + 1;
    if (sequence !== expected) this.fault(missing(expected, sequence - 1));
    else if (!chainHash(digestEntry(entry), this.last.hash).equals(hash))
      this.entryFault(id, `entry ${sequence} (${id}): its content does not match its hash`);
    else this.compareChanges(entry, kept);
    this.entries += 1;
    this.last = { sequence, hash };
  }

  /** Checks an entry that waits to be sealed. */
  waiting(entry: UnsealedEntry, kept: KeptChanges | null = null): void {
    const { id, digest } = entry;
    if (!digestEntry(entry).equals(digest))
      this.entryFault(id, `the unsealed entry ${id}: its content does not match its digest`);
    else this.compareChanges(entry, kept);
    this.unsealed += 1;
    this.withoutReceipt.add(id);
  }

  /** Compares an entry with its receipt. @param entry null for one that is neither in the chain nor waits to be sealed */
  receipt(id: string, digest: Buffer, entry: AuditEntry | null): void {
    this.withoutReceipt.delete(id);
    if (entry === null) this.fault(`entry ${id} was recorded and is missing`);
    else if (!digestEntry(entry).equals(digest)) this.receiptFault(id, entry.sequence);
  }

  /** Compares the last entry with the head, when all receipts are read. @returns all faults */
  end(head: ChainHead | null): readonly string[] {
    // Those in the chain may be of a release without receipts.
    for (const id of this.withoutReceipt) this.receiptFault(id, null);
    const { sequence, hash } = this.last;
    if (head === null) this.fault('the head of the chain is missing');
    else if (head.sequence > sequence) this.fault(missing(sequence + 1, head.sequence));
    else if (head.sequence < sequence || !head.hash.equals(hash))
      this.fault(`the head of the chain does not match entry ${sequence}`);
    return this.faults;
  }

  /** Only an entry with the hash of its changes has any. */
  private compareChanges(
    { id, details: { changes_hash: hash } }: NewAuditEntry,
    kept: KeptChanges | null,
  ): void {
    if (hash === undefined && kept === null) return;
    if (kept === null) this.entryFault(id, `entry ${id}: its old and new values are missing`);
    else if (hash !== undefined && kept.salt === null && kept.changes === null) this.erased += 1;
    else if (kept.salt === null || hashChanges(kept) !== hash)
      this.entryFault(id, `entry ${id}: its old and new values do not match their hash`);
  }

  private receiptFault(id: string, sequence: number | null): void {
    const name = sequence === null ? `the unsealed entry ${id}` : `entry ${sequence} (${id})`;
    if (!this.reported.has(id)) this.entryFault(id, `${name}: its content does not match its receipt`);
  }

  private entryFault(id: string, fault: string): void {
    if (this.faults.length < MAX_FAULTS) this.reported.add(id);
    this.fault(fault);
  }

  private fault(fault: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(`audit_log: ${fault}`);
  }
}

function missing(first: number, last: number): string {
  return first === last ? `entry ${first} is missing` : `entries ${first} to ${last} are missing`;
}
