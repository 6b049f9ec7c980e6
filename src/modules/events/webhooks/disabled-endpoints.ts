import type { LeaseEnd } from '../../../platform/database/leased-rows';
import type { WriteTx } from '../../../platform/database/database';
import type { DueItem } from '../../../platform/jobs/due-items';

/**
 * `requested`: by a request. `gone`: it responded with 410. `failing`: every attempt of three days failed.
 * `account_closed`: its account was closed. `api_key_ended`: the API key that created it was revoked or has expired.
 */
export const disabledReasons = ['requested', 'gone', 'failing', 'account_closed', 'api_key_ended'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Why endpoints are disabled of which the owner of the account is told. */
const noticedReasons = ['gone', 'failing', 'api_key_ended'] as const;
type NoticedReason = (typeof noticedReasons)[number];

/** Returns the reason if the owner of the account is told of it, and null if not. */
export function toNoticedReason(disabled: DisabledReason | null): NoticedReason | null {
  return noticedReasons.find((reason) => reason === disabled) ?? null;
}

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
