import type { Tx, WriteTx } from '../../../../platform/database/tx';
import type { EmailedLink, LinkPurpose } from './emailed-link';

export abstract class EmailedLinksRepository {
  abstract add(tx: WriteTx, link: EmailedLink): void;
  /** @returns the id of the user or the account of a link that has not expired, else null */
  abstract findSubjectId(tokenHash: string, purpose: LinkPurpose, now: Date): Promise<string | null>;
  /**
   * Whether the link exists and has not expired. Call it with the credential locked: whatever uses a link deletes all
   * links of the credential under that lock, so a link works once.
   */
  abstract isValid(tx: Tx, tokenHash: string, purpose: LinkPurpose, now: Date): Promise<boolean>;
  abstract deleteOf(tx: WriteTx, subjectId: string): void;
  /** Deletes up to `limit` expired links. @returns the count */
  abstract deleteExpired(now: Date, limit: number): Promise<number>;
}
