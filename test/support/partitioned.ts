import { randomBytes } from 'node:crypto';
import { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate } from '../../src/platform/database/migrations/migrate';
import { schema } from './core';
import { databaseUrl, onServer } from './databases';

const PARTITIONS = 4;

/** The tables of rows that belong to an account: their primary key starts with it. The last three are not mapped. */
export const accountTables: readonly string[] = schema.entities
  .filter(
    ({ options }) =>
      options.tableName === 'accounts' || firstKeyColumn(options.columns as Columns) === 'account_id',
  )
  .map(({ options }) => options.tableName!)
  .concat('account_idempotency_records', 'account_audit_entries', 'account_audit_receipts');

type Columns = Record<string, { name?: string; primary?: boolean }>;

function firstKeyColumn(columns: Columns): string | undefined {
  const key = Object.entries(columns).find(([, { primary }]) => primary);
  return key && (key[1].name ?? key[0]);
}

/** Creates a template database whose account-owned tables are hash-partitioned by account. */
export async function createPartitionedTemplate(): Promise<string> {
  const name = `partitioned_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  const migrations = (schema.migrations as (new () => MigrationInterface)[]).map(partitioning);
  await migrate(databaseUrl(name), { ...schema, migrations });
  return name;
}

/** Returns the migration under the same name, which also creates the partitions of such tables. */
function partitioning(Migration: new () => MigrationInterface): new () => MigrationInterface {
  return class extends Migration {
    override readonly name = Migration.name;

    override async up(queryRunner: QueryRunner): Promise<void> {
      await super.up(
        new Proxy(queryRunner, {
          get: (target, property) => {
            if (property === 'query')
              return (sql: string, params?: unknown[]) => queryPartitioned(target, sql, params);
            const member: unknown = Reflect.get(target, property, target);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        }),
      );
    }
  };
}

async function queryPartitioned(queryRunner: QueryRunner, sql: string, params?: unknown[]): Promise<unknown> {
  const table = /^\s*CREATE TABLE "(\w+)"/.exec(sql)?.[1];
  // The key identifies the table, since a later migration may rename it.
  const column = table === 'accounts' ? 'id' : /PRIMARY KEY \("(account_id)"/.exec(sql)?.[1];
  if (/ALTER TABLE "accounts" SET \(fillfactor/.test(sql)) return undefined; // partitions have it, a parent cannot
  if (table === undefined || column === undefined) return queryRunner.query(sql, params);
  await queryRunner.query(`${sql} PARTITION BY HASH ("${column}")`);
  for (let part = 0; part < PARTITIONS; part += 1) {
    await queryRunner.query(
      `CREATE TABLE "${table}_${part}" PARTITION OF "${table}" FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
    );
    // As Citus does for the shards.
    const constraint = /CONSTRAINT "(\w+)" PRIMARY KEY/.exec(sql)?.[1];
    if (constraint !== undefined)
      await queryRunner.query(`ALTER INDEX "${table}_${part}_pkey" RENAME TO "${constraint}_${part}"`);
  }
  return undefined;
}
