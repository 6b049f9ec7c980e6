import { availableParallelism } from 'node:os';
import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

/**
 * Suites that take long. `npm test` leaves them out and has a shorter suite for each kind of check; `npm run test:slow`,
 * `npm run test:all` and CI run them.
 */
const slowSuites = [
  'test/system/faults/{*-killed,webhook-load,stopping,sign-up-flood,soak,unread-responses,connections-cut}.e2e.spec.ts',
  'test/system/{partitioned,lists/reads,model/planted-defects,permissions/permissions-all,lists/lists,lists/walks,lists/exports}.e2e.spec.ts',
  'test/embedded-postgres/*.spec.ts',
  'test/service/{worker,create-admin,processes}*.spec.ts',
  'test/platform/jobs/job-queue*.spec.ts',
  'test/platform/http/{unread-responses,openapi-document}*.spec.ts',
  'test/modules/test-operations/*.permissions.e2e.spec.ts',
  'test/modules/{auth/login-load,auth/guessing,auth/revocation,accounts/large-closing,payment-emails/payment-emails}.e2e.spec.ts',
  'test/modules/{ledger/ledger-races,transactions/due-transactions,hosted-checkout/hosted-checkout-races}.e2e.spec.ts',
  'test/platform/telemetry/tracing.e2e.spec.ts',
  'test/**/*.browser.spec.ts',
  'test/client/package.e2e.spec.ts',
];

export default defineConfig({
  plugins: [swc.vite({ module: { type: 'es6' } })],
  test: {
    globals: true,
    setupFiles: ['reflect-metadata'],
    globalSetup: ['test/support/cluster.setup.ts'],
    // All workers share one PostgreSQL server, whose connections limit the number of services.
    maxWorkers: Math.min(4, availableParallelism()),
    // The suites of a worker share their modules: to load and compile them anew takes longer than most suites.
    isolate: false,
    // Detects what hangs. It is no bound of a duration, since a machine may be slow or busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'fast', include: ['test/**/*.spec.ts'], exclude: slowSuites } },
      { extends: true, test: { name: 'slow', include: slowSuites } },
    ],
  },
});
