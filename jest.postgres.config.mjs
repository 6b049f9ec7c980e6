import { run, suites } from './jest.config.mjs';

/**
 * The suites that CI repeats on an installed PostgreSQL, the oldest that is supported: every table, every operation with a
 * body, and SQL of every kind. Suites about HTTP, roles, processors, browsers, tokens, settings and races are left out,
 * because they send no further statements. lists/reads holds for PostgreSQL 18 only (docs/performance.md).
 */
export default {
  ...run,
  ...suites([
    'test/modules/accounts/{accounts,members,api-keys/api-keys,notes/notes}.e2e.spec.ts',
    'test/modules/auth/{sessions,sign-ups,failed-logins,second-factors/second-factor}.e2e.spec.ts',
    'test/modules/back-office/{approvals/approvals,audit-log/audit-log*,search/search}.e2e.spec.ts',
    'test/modules/emails/queued-emails.e2e.spec.ts',
    'test/modules/events/{log/*,webhooks/{delivery-replay,webhook-*}}.e2e.spec.ts',
    'test/modules/ledger/{ledger,ledger-verification,adjustments/*,statements/*}.e2e.spec.ts',
    'test/modules/payment-requests/{payment-requests,unapplied-payments/*,checkout/hosted-checkouts}.e2e.spec.ts',
    'test/modules/{subscriptions/*,totals/*,users/users}.e2e.spec.ts',
    'test/modules/transactions/{transactions,due-transactions,processor-refunds}.e2e.spec.ts',
    'test/platform/database/**/*.spec.ts',
    'test/platform/jobs/task-locks.spec.ts',
    'test/system/{*-migration,partitioned,housekeeping,separate-roles}.e2e.spec.ts',
    'test/system/{account-owned/races,permissions/mass-assignment,lists/pages,lists/walks}.e2e.spec.ts',
    'test/system/{faults/conflicts,faults/repeats,model/histories}.e2e.spec.ts',
  ]),
};
