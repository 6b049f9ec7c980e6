import type { CommandSyntax } from '../command';
import { createAdmin } from './admin-create';
import { distributeTables } from './citus-distribute';
import { doctor } from './doctor';
import { replayEvents } from './events-replay';
import { rotateKeys } from './keys-rotate';
import { verifyLedger } from './ledger-verify';
import { applyMigrations } from './migrate';
import { checkMigrations } from './migrations-check';
import { printOpenApi } from './openapi';
import { serve } from './serve';
import { work } from './worker';

/** All commands, in the order of the help. */
export const commands: readonly CommandSyntax[] = [
  serve,
  work,
  doctor,
  applyMigrations,
  createAdmin,
  verifyLedger,
  rotateKeys,
  replayEvents,
  distributeTables,
  checkMigrations,
  printOpenApi,
];
