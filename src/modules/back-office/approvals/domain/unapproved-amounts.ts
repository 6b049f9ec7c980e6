import type { Tx } from '../../../../platform/database/tx';

/** What an admin has moved in an account without an approval, on the last day on which the admin did. */
export class UnapprovedAmount {
  readonly accountId: string;
  readonly adminId: string;
  /** In UTC, for example 2026-11-23. */
  readonly day: string;
  /** Minor units. */
  readonly amount: number;
}

export abstract class UnapprovedAmounts {
  /** Adds an amount to the sum of the day, unless that would exceed the limit. @returns whether it was added */
  abstract add(tx: Tx, amount: UnapprovedAmount, limit: number): Promise<boolean>;
}
