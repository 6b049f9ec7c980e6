import { run, suites } from './jest.config.mjs';

/**
 * The suites that CI repeats on an installed PostgreSQL, the oldest that is supported: every table, every operation with a
 * body, and SQL of every kind. Suites about HTTP, roles, processors, browsers, emails, tokens and settings are left out,
 * because they send no further statements. lists/reads holds for PostgreSQL 18 only (docs/performance.md).
 */
export default {
  ...run,
  ...suites([
    'test/modules/**/*.e2e.spec.ts',
    'test/platform/database/**/*.spec.ts',
    'test/platform/jobs/task-locks.spec.ts',
    'test/system/{*-migration,partitioned,housekeeping}.e2e.spec.ts',
    'test/system/{account-owned/races,permissions/mass-assignment,lists/pages,lists/walks}.e2e.spec.ts',
    'test/system/{faults/conflicts,faults/repeats,model/histories}.e2e.spec.ts',
  ]),
  testPathIgnorePatterns: [
    'modules/(back-office/console|auth/password-resets|payment-requests/page|processors|testing)/',
    'modules/auth/(connection-share|guessing|login-load|password|reauthentication|revocation|tokens|transport)\\.',
    'modules/(accounts/large-closing\\.|emails/(payment-|security-emails|outbox)|users/first-admin\\.)',
    'modules/auth/second-factors/second-factor-admins\\.',
  ],
};
