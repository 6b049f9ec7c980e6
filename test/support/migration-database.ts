import { MigrationInterface, DataSource } from 'typeorm';
import { Type } from '@nestjs/common';
import { schema } from './core';
import { createDatabase, dropDatabase } from './databases';

/** A database on which a suite runs one migration. */
export interface MigrationDatabase {
  readonly dataSource: DataSource;
  stop(): Promise<void>;
}

/** @param before the migration that the database lacks, with all later ones; by default it has all */
export async function startMigrationDatabase(before?: Type<MigrationInterface>): Promise<MigrationDatabase> {
  const { name, url } = await createDatabase(before && 'template1');
  const migrations = before ? schema.migrations.slice(0, schema.migrations.indexOf(before)) : [];
  const dataSource = await new DataSource({ type: 'postgres', url, migrations }).initialize();
  await dataSource.runMigrations();
  return {
    dataSource,
    stop: async () => {
      await dataSource.destroy();
      await dropDatabase(name);
    },
  };
}
