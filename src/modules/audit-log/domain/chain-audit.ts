import { AuditEntry, hashOf } from './audit-entry';
import { ChainHead } from './audit-log.repository';

/** More faults than this say nothing new, and memory must not grow with them. */
const MAX_FAULTS = 100;

/** Checks the entries of the audit log one after the other, and then the head of the chain. */
export class ChainAudit {
  /** The number of entries that are checked. */
  entries = 0;
  private readonly faults: string[] = [];
  private last: ChainHead = { sequence: 0, hash: Buffer.alloc(0) };

  /**
   * Checks the next entry. An entry after a gap is not compared, since the hash before it is unknown; each other entry is
   * compared with the stored hash before it, so that a changed entry is reported once.
   */
  entry(entry: AuditEntry): void {
    const { sequence, hash } = entry;
    const expected = this.last.sequence + 1;
    if (sequence !== expected) this.fault(missing(expected, sequence - 1));
    else if (!hashOf(entry, this.last.hash).equals(hash))
      this.fault(`entry ${sequence} (${entry.id}): its content does not match its hash`);
    this.entries += 1;
    this.last = { sequence, hash };
  }

  /** Compares the last entry with the head. @returns all faults */
  end(head: ChainHead | null): readonly string[] {
    const { sequence, hash } = this.last;
    if (head === null) this.fault('the head of the chain is missing');
    else if (head.sequence > sequence) this.fault(missing(sequence + 1, head.sequence));
    else if (head.sequence < sequence || !head.hash.equals(hash))
      this.fault(`the head of the chain does not match entry ${sequence}`);
    return this.faults;
  }

  private fault(fault: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(`audit_log: ${fault}`);
  }
}

function missing(first: number, last: number): string {
  return first === last ? `entry ${first} is missing` : `entries ${first} to ${last} are missing`;
}
