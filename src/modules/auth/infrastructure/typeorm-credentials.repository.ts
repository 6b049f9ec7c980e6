import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral } from 'typeorm';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { Credential } from '../domain/credential';
import { CredentialsRepository } from '../domain/credentials.repository';
import { credentialSchema } from './credential.schema';

const refusals = {
  credentials_kind_email_key: () => new Refusal('email_exists', 'This email is in use already.'),
};

@Injectable()
export class TypeormCredentialsRepository extends CredentialsRepository {
  private readonly table: Table<Credential>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, credentialSchema);
  }

  async ofEmail(emailKey: string): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE kind IN ('user', 'account') AND email_key = $1`;
    return this.entities(await this.database.read(sql, [emailKey]));
  }

  async ofSubjects(subjectIds: readonly string[]): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE subject_id = ANY($1)`;
    return this.entities(await this.database.read(sql, [subjectIds]));
  }

  async lockForSignIn(tx: Tx, subjectIds: readonly string[]): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE subject_id = ANY($1) ORDER BY subject_id FOR SHARE`;
    return this.entities(await tx.read(sql, [subjectIds]));
  }

  async lock(tx: Tx, subjectId: string): Promise<Credential | null> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE subject_id = $1`;
    const row = await tx.lockRow(sql, [subjectId]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, credential: Credential): void {
    const { sql, params } = this.table.insert(credential);
    tx.write(sql, params, refusals);
  }

  save(tx: Tx, credential: Credential): void {
    const { sql, params } = this.table.update(credential);
    tx.write(sql, params, refusals);
  }

  remove(tx: Tx, subjectId: string): void {
    tx.write('DELETE FROM credentials WHERE subject_id = $1', [subjectId]);
  }

  awaitSignIns(tx: Tx, accountId: string): void {
    tx.write('SELECT subject_id FROM credentials WHERE account_id = $1 ORDER BY subject_id FOR UPDATE', [
      accountId,
    ]);
  }

  async rehash(subjectId: string, from: string, to: string): Promise<void> {
    const sql = 'UPDATE credentials SET password_hash = $3 WHERE subject_id = $1 AND password_hash = $2';
    await this.database.read(sql, [subjectId, from, to]);
  }

  private entities(rows: ObjectLiteral[]): Credential[] {
    return rows.map((row) => this.table.entity(row));
  }
}
