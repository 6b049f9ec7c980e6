import { MINUTE_MS } from '../../../kernel/clock';
import type { Actor, AuditEvent } from '../../../platform/audit/audit-trail';

/** How long the same reads after a recorded one are part of it. */
export const SAME_READ_MS = 15 * MINUTE_MS;

interface Read {
  readonly at: Date;
  /** Resolves when the entry is committed. */
  readonly recorded: Promise<void>;
}

/** The reads that this process has recorded lately. Those that it forgets early are recorded once more. */
export class RecentReads {
  /** The oldest first. */
  private readonly reads = new Map<string, Read>();

  /** @param limit how many reads are remembered */
  constructor(private readonly limit = 10_000) {}

  /**
   * Records the read unless the same one is recorded, or is just being recorded, which it waits for.
   * @throws what `record` throws, also to those that wait for it; then the read counts as not recorded
   */
  once(actor: Actor, event: AuditEvent, now: Date, record: () => Promise<void>): Promise<void> {
    const key = buildKey(actor, event);
    const last = this.reads.get(key);
    const age = last && now.getTime() - last.at.getTime();
    if (last && age! >= 0 && age! < SAME_READ_MS) return last.recorded;
    const read = { at: now, recorded: record() };
    this.reads.delete(key);
    this.reads.set(key, read);
    if (this.reads.size > this.limit) this.reads.delete(this.reads.keys().next().value!);
    read.recorded.catch(() => this.reads.delete(key));
    return read.recorded;
  }
}

function buildKey({ subjectId, sessionId, device }: Actor, { action, objectId }: AuditEvent): string {
  return JSON.stringify([subjectId, sessionId, device?.ip, action, objectId]);
}
