import { Injectable } from '@nestjs/common';
import { FindOptionsWhere, MoreThan, Repository } from 'typeorm';
import { Database } from '../../../../platform/database/database';
import { enqueueWrite } from '../../../../platform/database/repositories';
import { Tx, WriteTx } from '../../../../platform/database/tx';
import { EmailedLink, LinkPurpose } from '../domain/emailed-link';
import { EmailedLinksRepository } from '../domain/emailed-links.repository';
import { emailedLinkSchema } from './emailed-link.schema';

@Injectable()
export class TypeormEmailedLinksRepository extends EmailedLinksRepository {
  private readonly links: Repository<EmailedLink>;

  constructor(private readonly database: Database) {
    super();
    this.links = database.repository(emailedLinkSchema);
  }

  add(tx: WriteTx, link: EmailedLink): void {
    enqueueWrite(tx, this.links.createQueryBuilder().insert().values(link));
  }

  async findSubjectId(tokenHash: string, purpose: LinkPurpose, now: Date): Promise<string | null> {
    return (await this.links.findOneBy(valid(tokenHash, purpose, now)))?.subjectId ?? null;
  }

  async isValid(tx: Tx, tokenHash: string, purpose: LinkPurpose, now: Date): Promise<boolean> {
    return (await tx.repository(emailedLinkSchema).findOneBy(valid(tokenHash, purpose, now))) !== null;
  }

  deleteOf(tx: WriteTx, subjectId: string): void {
    enqueueWrite(tx, this.links.createQueryBuilder().delete().where({ subjectId }));
  }

  /** In SQL, since a batch is found and deleted in one statement. */
  async deleteExpired(now: Date, limit: number): Promise<number> {
    const sql = `DELETE FROM password_resets WHERE token_hash IN (
                   SELECT token_hash FROM password_resets WHERE expires_at < $1 LIMIT $2
                 ) RETURNING token_hash`;
    return (await this.database.query(sql, [now, limit])).length;
  }
}

function valid(tokenHash: string, purpose: LinkPurpose, now: Date): FindOptionsWhere<EmailedLink> {
  return { tokenHash, purpose, expiresAt: MoreThan(now) };
}
