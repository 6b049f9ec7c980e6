import { Injectable } from '@nestjs/common';
import { EntitySchema, FindOptionsWhere, MoreThan, Repository } from 'typeorm';
import { Database, Tx, WriteTx } from '../../../platform/database/database';
import { enqueueWrite } from '../../../platform/database/repositories';
import { EmailedLink, LinkPurpose } from './emailed-link';

const DELETE_BATCH = 1_000;

export const emailedLinkSchema = new EntitySchema<EmailedLink>({
  name: 'EmailedLink',
  target: EmailedLink,
  // The name is from the time when there were no other links.
  tableName: 'password_resets',
  columns: {
    tokenHash: { name: 'token_hash', type: 'text', primary: true },
    subjectId: { name: 'subject_id', type: 'text' },
    purpose: { type: 'text', default: 'password_reset' },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3 },
  },
  checks: [{ expression: "purpose IN ('password_reset', 'email_verification')" }],
  indices: [
    { name: 'password_resets_subject', columns: ['subjectId'] },
    { name: 'password_resets_expiry', columns: ['expiresAt'] },
  ],
});

@Injectable()
export class EmailedLinksRepository {
  private readonly links: Repository<EmailedLink>;

  constructor(private readonly database: Database) {
    this.links = database.repository(emailedLinkSchema);
  }

  add(tx: WriteTx, link: EmailedLink): void {
    enqueueWrite(tx, this.links.createQueryBuilder().insert().values(link));
  }

  /** @returns the id of the user or the account of a link that has not expired, else null */
  async findSubjectId(tokenHash: string, purpose: LinkPurpose, now: Date): Promise<string | null> {
    return (await this.links.findOneBy(valid(tokenHash, purpose, now)))?.subjectId ?? null;
  }

  /**
   * Whether the link exists and has not expired. Call it with the credential locked: whatever uses a link deletes all
   * links of the credential under that lock, so a link works once.
   */
  async isValid(tx: Tx, tokenHash: string, purpose: LinkPurpose, now: Date): Promise<boolean> {
    return (await tx.repository(emailedLinkSchema).findOneBy(valid(tokenHash, purpose, now))) !== null;
  }

  deleteBySubject(tx: WriteTx, subjectId: string): void {
    enqueueWrite(tx, this.links.createQueryBuilder().delete().where({ subjectId }));
  }

  /**
   * Deletes a batch of expired links. In SQL, since it is found and deleted in one statement.
   * @returns whether there may be more
   */
  async deleteExpired(now: Date): Promise<boolean> {
    const sql = `DELETE FROM password_resets WHERE token_hash IN (
                   SELECT token_hash FROM password_resets WHERE expires_at < $1 LIMIT $2
                 ) RETURNING token_hash`;
    return (await this.database.query(sql, [now, DELETE_BATCH])).length === DELETE_BATCH;
  }
}

function valid(tokenHash: string, purpose: LinkPurpose, now: Date): FindOptionsWhere<EmailedLink> {
  return { tokenHash, purpose, expiresAt: MoreThan(now) };
}
