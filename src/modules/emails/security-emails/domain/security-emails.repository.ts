import type { Tx, WriteTx } from '../../../../platform/database/tx';
import type { SecurityEmail } from './security-email';

export abstract class SecurityEmailsRepository {
  abstract add(tx: WriteTx, email: SecurityEmail): void;
  abstract find(id: string): Promise<SecurityEmail | null>;
  /** Clears the due time of due emails that no other worker is processing. @returns their ids */
  abstract claimDue(tx: Tx, now: Date, limit: number): Promise<Pick<SecurityEmail, 'id' | 'traceparent'>[]>;
  abstract delete(id: string): Promise<void>;
  /** Deletes up to `limit` emails that were created before the given time. @returns the count */
  abstract deleteOld(before: Date, limit: number): Promise<number>;
}
