import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral } from 'typeorm';
import { DomainError } from '../../../kernel/domain-error';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { Credential } from '../domain/credential';
import { CredentialsRepository } from '../domain/credentials.repository';
import { credentialSchema } from './credential.schema';

const errors = {
  credentials_kind_email_key: () => new DomainError('email_exists', 'This email is already in use.'),
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

  async findByEmail(emailKey: string): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE kind IN ('user', 'account') AND email_key = $1`;
    return this.entities(await this.database.query(sql, [emailKey]));
  }

  async findBySubjects(subjectIds: readonly string[]): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE subject_id = ANY($1)`;
    return this.entities(await this.database.query(sql, [subjectIds]));
  }

  async lockForLogin(tx: Tx, subjectIds: readonly string[]): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE subject_id = ANY($1) ORDER BY subject_id FOR NO KEY UPDATE`;
    return this.entities(await tx.query(sql, [subjectIds]));
  }

  async lockByEmail(tx: Tx, emailKey: string): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE kind IN ('user', 'account') AND email_key = $1 ORDER BY subject_id FOR UPDATE`;
    return this.entities(await tx.query(sql, [emailKey]));
  }

  async lock(tx: Tx, subjectId: string): Promise<Credential | null> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE subject_id = $1`;
    const row = await tx.lockRow(sql, [subjectId]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, credential: Credential): void {
    const { sql, params } = this.table.insert(credential);
    tx.enqueue(sql, params, errors);
  }

  save(tx: Tx, credential: Credential): void {
    const { sql, params } = this.table.update(credential);
    tx.enqueue(sql, params, errors);
  }

  delete(tx: Tx, subjectId: string): void {
    tx.enqueue('DELETE FROM credentials WHERE subject_id = $1', [subjectId]);
  }

  lockOfAccount(tx: Tx, accountId: string): void {
    tx.enqueue('SELECT subject_id FROM credentials WHERE account_id = $1 ORDER BY subject_id FOR UPDATE', [
      accountId,
    ]);
  }

  async rehash(subjectId: string, oldHash: string, newHash: string): Promise<void> {
    const sql = 'UPDATE credentials SET password_hash = $3 WHERE subject_id = $1 AND password_hash = $2';
    await this.database.query(sql, [subjectId, oldHash, newHash]);
  }

  private entities(rows: ObjectLiteral[]): Credential[] {
    return rows.map((row) => this.table.entity(row));
  }
}
