import { Tx, WriteTx } from '../../../platform/database/tx';
import { PasswordReset } from './password-reset';

export abstract class PasswordResetsRepository {
  abstract add(tx: WriteTx, reset: PasswordReset): void;
  /** @returns the id of the user or the account of a reset that has not expired, else null */
  abstract findSubjectId(tokenHash: string, now: Date): Promise<string | null>;
  /** Deletes the reset, so that its token works once. @returns false when it does not exist or has expired */
  abstract use(tx: Tx, tokenHash: string, now: Date): Promise<boolean>;
  abstract deleteOf(tx: WriteTx, subjectId: string): void;
  /** Deletes up to `limit` expired resets. @returns the count */
  abstract deleteExpired(now: Date, limit: number): Promise<number>;
}
