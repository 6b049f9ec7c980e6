import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx, WriteTx } from '../../../platform/database/tx';
import { EmailedLink, LinkPurpose } from '../domain/emailed-link';
import { EmailedLinksRepository } from '../domain/emailed-links.repository';
import { emailedLinkSchema } from './emailed-link.schema';

const FIND =
  'SELECT subject_id FROM password_resets WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3';

@Injectable()
export class TypeormEmailedLinksRepository extends EmailedLinksRepository {
  private readonly table: Table<EmailedLink>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, emailedLinkSchema);
  }

  add(tx: WriteTx, link: EmailedLink): void {
    const { sql, params } = this.table.insert(link);
    tx.enqueue(sql, params);
  }

  async findSubjectId(tokenHash: string, purpose: LinkPurpose, now: Date): Promise<string | null> {
    const [row] = await this.database.query<{ subject_id: string }>(FIND, [tokenHash, purpose, now]);
    return row?.subject_id ?? null;
  }

  async isValid(tx: Tx, tokenHash: string, purpose: LinkPurpose, now: Date): Promise<boolean> {
    return (await tx.read(FIND, [tokenHash, purpose, now])).length > 0;
  }

  deleteOf(tx: WriteTx, subjectId: string): void {
    tx.enqueue('DELETE FROM password_resets WHERE subject_id = $1', [subjectId]);
  }

  async deleteExpired(now: Date, limit: number): Promise<number> {
    const sql = `DELETE FROM password_resets WHERE token_hash IN (
                   SELECT token_hash FROM password_resets WHERE expires_at < $1 LIMIT $2
                 ) RETURNING token_hash`;
    return (await this.database.query(sql, [now, limit])).length;
  }
}
