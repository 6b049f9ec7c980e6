import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';

const FOLDER = join(__dirname, '../../migrations');
const load = createRequire(__filename);

/** The migrations of the service, in the order of the times that the names of their files begin with. */
export const coreMigrations = readdirSync(FOLDER)
  .filter((name) => /^\d{13}-[^.]+\.(js|ts)$/.test(name))
  .sort()
  .flatMap((name) => Object.values(load(join(FOLDER, name)) as Record<string, Type<MigrationInterface>>));
