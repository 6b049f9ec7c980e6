import { Injectable } from '@nestjs/common';
import { Repository } from 'typeorm';
import { Database } from '../../../../platform/database/database';
import { enqueueWrite } from '../../../../platform/database/repositories';
import { Tx, WriteTx } from '../../../../platform/database/tx';
import { SecurityEmail } from '../domain/security-email';
import { SecurityEmailsRepository } from '../domain/security-emails.repository';
import { securityEmailSchema } from './security-email.schema';

/** What takes rows in batches is SQL: a claim skips locked rows, and a batch is found and deleted in one statement. */
@Injectable()
export class TypeormSecurityEmailsRepository extends SecurityEmailsRepository {
  private readonly emails: Repository<SecurityEmail>;

  constructor(private readonly database: Database) {
    super();
    this.emails = database.repository(securityEmailSchema);
  }

  add(tx: WriteTx, email: SecurityEmail): void {
    enqueueWrite(tx, this.emails.createQueryBuilder().insert().values(email));
  }

  find(id: string): Promise<SecurityEmail | null> {
    return this.emails.findOneBy({ id });
  }

  claimDue(tx: Tx, now: Date, limit: number) {
    return tx.query<Pick<SecurityEmail, 'id' | 'traceparent'>>(
      `UPDATE security_emails SET due_at = NULL WHERE id IN (
         SELECT id FROM security_emails WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING id, traceparent`,
      [now, limit],
    );
  }

  async delete(id: string): Promise<void> {
    await this.emails.delete({ id });
  }

  async deleteOld(before: Date, limit: number): Promise<number> {
    const sql = `DELETE FROM security_emails WHERE id IN (
                   SELECT id FROM security_emails WHERE created_at < $1 LIMIT $2
                 ) RETURNING id`;
    return (await this.database.query(sql, [before, limit])).length;
  }
}
