import type { LeaseEnd } from '../../../../platform/database/leased-rows';
import type { WriteTx } from '../../../../platform/database/tx';
import type { DueItem } from '../../../../platform/jobs/due-items';
import type { NoticedReason } from './webhook-endpoint';

/** That an endpoint was disabled, as its owner is told. */
export interface DisabledNotice {
  readonly accountId: string;
  /** The endpoint. */
  readonly id: string;
  readonly url: string;
  /** null when it was enabled in the meantime. */
  readonly reason: NoticedReason | null;
  readonly disabledAt: Date | null;
  /** How often the notice was attempted. */
  readonly attempts: number;
}

/** The notices that are to be sent. They wait in the rows of the endpoints. */
export abstract class DisabledNotices {
  /** Finds endpoints with notices that are due, the earliest first, without the excluded ids. */
  abstract findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]>;
  /** Makes a notice due at `until` and counts an attempt. @returns null when it is not due, or another process has won */
  abstract claim(endpoint: DueItem, now: Date, until: Date): Promise<DisabledNotice | null>;
  /** Makes a claimed notice due again; with null, it is given up. */
  abstract release(notice: DisabledNotice, until: Date, dueAt: Date | null): Promise<void>;
  /** Ends a claimed notice: the owner is told once. */
  abstract complete(notice: DisabledNotice, until: Date): Promise<void>;
  /** Counts those that wait, and those that are given up. */
  abstract count(): Promise<{ readonly waiting: number; readonly failed: number }>;
  /** Makes a notice due that the job queue of the previous release had, unless the endpoint is enabled by now. */
  abstract restore(tx: WriteTx, endpoint: DueItem, end: LeaseEnd): void;
}
