import { availableParallelism } from 'node:os';
import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/**
 * Suites that take long. `npm test` leaves them out and has a shorter suite for each kind of check; `npm run test:slow`,
 * `npm run test:all` and CI run them.
 */
const slowSuites = [
  'test/system/faults/{*-killed,webhook-load,hostile-receivers,stopping,sign-up-flood,soak,unread-responses,connections-cut,many-processes}.e2e.spec.ts',
  'test/system/{partitioned,lists/reads*,model/planted-defects,permissions/permissions-others,lists/lists,lists/walks,lists/exports}.e2e.spec.ts',
  'test/embedded-postgres/*.spec.ts',
  'test/service/{worker,create-admin,processes}*.spec.ts',
  'test/platform/http/openapi-document*.spec.ts',
  'test/modules/testing/*.permissions.e2e.spec.ts',
  'test/modules/{auth/login-load,auth/guessing,auth/revocation,accounts/large-closing,emails/payment-emails,emails/outbox}.e2e.spec.ts',
  'test/modules/{ledger/ledger-races,transactions/due-transactions,payment-requests/checkout/hosted-checkout-races}.e2e.spec.ts',
  'test/platform/telemetry/tracing.e2e.spec.ts',
  'test/**/*.browser.spec.ts',
  'test/client/package.e2e.spec.ts',
];

/** Suites that take longest, most of which are short files: they run tests that others contain. */
const longestSuites = [
  'permissions/permissions',
  'system/partitioned',
  'faults/soak',
  'faults/hostile-receivers',
  'faults/service-killed',
  'faults/unread-responses',
  'service/processes',
  'console/console-',
];

/**
 * Starts the longest suites first, so that none of them runs alone at the end. Where Vitest has no durations of an earlier
 * run, it starts the largest files first.
 */
class LongestFirst extends BaseSequencer {
  async sort(files) {
    const isLong = ({ moduleId }) => longestSuites.some((name) => moduleId.includes(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

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
    sequence: { sequencer: LongestFirst },
    // Detects what hangs. It is no bound of a duration, since a machine may be slow or busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 40_000 } },
    projects: [
      { extends: true, test: { name: 'fast', include: ['test/**/*.spec.ts'], exclude: slowSuites } },
      { extends: true, test: { name: 'slow', include: slowSuites } },
    ],
  },
});
