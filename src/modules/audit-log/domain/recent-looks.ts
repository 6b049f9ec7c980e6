import { MINUTE_MS } from '../../../kernel/clock';
import { Actor, AuditEvent } from '../../../platform/audit/audit-trail';

/** How long the same looks after a recorded one are part of it. */
export const LOOK_MS = 15 * MINUTE_MS;

interface Look {
  readonly at: Date;
  /** Resolves when the entry is committed. */
  readonly recorded: Promise<void>;
}

/** The looks that this process has recorded lately. Those that it forgets early are recorded once more. */
export class RecentLooks {
  /** The oldest first. */
  private readonly looks = new Map<string, Look>();

  /** @param limit how many looks are remembered */
  constructor(private readonly limit = 10_000) {}

  /**
   * Records the look unless the same one is recorded, or is just being recorded, which it waits for.
   * @throws what `record` throws, also to those that wait for it; then the look counts as not recorded
   */
  once(actor: Actor, event: AuditEvent, now: Date, record: () => Promise<void>): Promise<void> {
    const key = keyOf(actor, event);
    const last = this.looks.get(key);
    const age = last && now.getTime() - last.at.getTime();
    if (last && age! >= 0 && age! < LOOK_MS) return last.recorded;
    const look = { at: now, recorded: record() };
    this.looks.delete(key);
    this.looks.set(key, look);
    if (this.looks.size > this.limit) this.looks.delete(this.looks.keys().next().value!);
    look.recorded.catch(() => this.looks.get(key) === look && this.looks.delete(key));
    return look.recorded;
  }
}

function keyOf({ subjectId, sessionId, device }: Actor, { action, objectId }: AuditEvent): string {
  return JSON.stringify([subjectId, sessionId, device?.ip, action, objectId]);
}
