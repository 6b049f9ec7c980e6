export interface VerificationResult {
  readonly accounts: number;
  readonly entries: number;
  /** One line for each account with a fault, the first one that was found, for each day's totals and for each trigger with one. */
  readonly faults: readonly string[];
}

export type Progress = (entries: number, total: number) => void;

/** Compares the whole journal with the accounts, the subledgers and the daily totals. */
export abstract class LedgerVerification {
  /**
   * Merges ordered streams of one snapshot by account id, so that memory does not grow with the journal and the service
   * can continue to write.
   * @param progress is called with the number of entries that are checked and of all entries, once per batch
   */
  abstract run(progress: Progress): Promise<VerificationResult>;
}
