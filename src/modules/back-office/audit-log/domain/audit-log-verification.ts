export interface AuditLogVerificationResult {
  /** Sealed entries. */
  readonly entries: number;
  /** Entries that wait to be sealed, which is no fault. */
  readonly unsealed: number;
  /** One line for each fault, up to a limit. */
  readonly faults: readonly string[];
}

export type Progress = (entries: number, total: number) => void;

/** Checks the chain of the audit log, and that all recorded entries are there, on one snapshot, while the service can continue to write. */
export abstract class AuditLogVerification {
  /** @param progress is called with the number of entries that are checked and of all entries, once per batch */
  abstract run(progress: Progress): Promise<AuditLogVerificationResult>;
}
