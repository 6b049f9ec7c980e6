import { Injectable } from '@nestjs/common';
import { Any, DataSource, EntitySchema, In, Repository } from 'typeorm';
import { DomainError } from '../../../kernel/domain-error';
import { Database, Tx } from '../../../platform/database/database';
import { enqueueWrite } from '../../../platform/database/repositories';
import { apiVersion, Table } from '../../../platform/database/table';
import { Credential, CredentialsRepository } from '../domain/credential';
import { hasOpenedFrom } from './sql-sessions.repository';

export const credentialSchema = new EntitySchema<Credential>({
  name: 'Credential',
  target: Credential,
  tableName: 'credentials',
  columns: {
    subjectId: { name: 'subject_id', type: 'text', primary: true, update: false },
    kind: { type: 'text', update: false },
    emailKey: { name: 'email_key', type: 'text' },
    passwordHash: { name: 'password_hash', type: 'text' },
    passwordSetByOther: { name: 'password_set_by_other', type: 'boolean', default: false },
    isInvited: { name: 'invited', type: 'boolean', default: false },
    emailVerifiedAt: { name: 'email_verified_at', type: 'timestamptz', precision: 3, nullable: true },
    loginChanges: { name: 'login_changes', type: 'jsonb', default: {} },
    accountId: { name: 'account_id', type: 'text', nullable: true },
    membershipRole: { name: 'membership_role', type: 'text', nullable: true },
    role: { type: 'text' },
    disabled: { type: 'boolean' },
    apiVersion: { ...apiVersion, nullable: true },
  },
  uniques: [{ name: 'credentials_kind_email_key', columns: ['kind', 'emailKey'] }],
  indices: [{ name: 'credentials_account', columns: ['accountId'] }],
});

const errors = {
  credentials_kind_email_key: () => new DomainError('email_exists', 'This email is already in use.'),
};

const ORDERED = { order: { subjectId: 'ASC' } } as const;
const LOCKED = { lock: { mode: 'pessimistic_write' } } as const;

@Injectable()
export class TypeormCredentialsRepository extends CredentialsRepository {
  private readonly credentials: Repository<Credential>;
  /** For the statements of a login, in SQL: a transaction sends those of TypeORM in packets of their own. */
  private readonly table: Table<Credential>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.credentials = database.repository(credentialSchema);
    this.table = new Table(dataSource, credentialSchema);
  }

  findByEmail(emailKey: string): Promise<Credential[]> {
    return this.credentials.findBy({ kind: In(['user', 'account']), emailKey });
  }

  async findWithOwner(
    emailKey: string,
    network: string,
  ): Promise<{ found: Credential[]; ownerId: string | null }> {
    const sql = `SELECT ${this.table.columns}, ${hasOpenedFrom('subject_id', '$2')} AS is_known
                 FROM credentials WHERE kind IN ('user', 'account') AND email_key = $1`;
    const rows = await this.database.query(sql, [emailKey, network]);
    const found = rows.map((row) => this.table.entity(row));
    return { found, ownerId: found.find((_, index) => rows[index]!['is_known'])?.subjectId ?? null };
  }

  findBySubjects(subjectIds: readonly string[], tx?: Tx): Promise<Credential[]> {
    return (tx?.repository(credentialSchema) ?? this.credentials).findBy({ subjectId: Any(subjectIds) });
  }

  async lockForLogin(tx: Tx, subjectIds: readonly string[]): Promise<Credential[]> {
    const sql = `SELECT ${this.table.columns} FROM credentials WHERE subject_id = ANY ($1)
                 ORDER BY subject_id FOR NO KEY UPDATE`;
    return (await tx.query(sql, [subjectIds])).map((row) => this.table.entity(row));
  }

  lockByEmail(tx: Tx, emailKey: string): Promise<Credential[]> {
    const where = { kind: In(['user', 'account']), emailKey };
    return tx.repository(credentialSchema).find({ where, ...ORDERED, ...LOCKED });
  }

  lock(tx: Tx, subjectId: string): Promise<Credential | null> {
    return tx.repository(credentialSchema).findOne({ where: { subjectId }, ...LOCKED });
  }

  add(tx: Tx, credential: Credential): void {
    enqueueWrite(tx, this.credentials.createQueryBuilder().insert().values(credential), errors);
  }

  save(tx: Tx, credential: Credential): void {
    const { subjectId } = credential;
    const update = this.credentials.createQueryBuilder().update().set(credential);
    enqueueWrite(tx, update.where({ subjectId }), errors);
  }

  delete(tx: Tx, subjectId: string): void {
    enqueueWrite(tx, this.credentials.createQueryBuilder().delete().where({ subjectId }));
  }

  /** In SQL, since a lock whose rows nobody reads takes no round trip. */
  lockOfAccount(tx: Tx, accountId: string): void {
    tx.enqueue('SELECT subject_id FROM credentials WHERE account_id = $1 ORDER BY subject_id FOR UPDATE', [
      accountId,
    ]);
  }

  async rehash(subjectId: string, oldHash: string, newHash: string): Promise<void> {
    await this.credentials.update({ subjectId, passwordHash: oldHash }, { passwordHash: newHash });
  }
}
