import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Suites that take long. `npm test` leaves them out and has a shorter suite for each kind of check; `npm run test:slow`,
 * `npm run test:all` and CI run them.
 */
const slowSuites = [
  'test/system/faults/{*-killed,webhook-load,hostile-receivers,stopping,sign-up-flood,soak,unread-responses,connections-cut,many-processes}.e2e.spec.ts',
  'test/system/{partitioned,lists/reads*,model/planted-defects,permissions/permissions-others,lists/lists,lists/walks,lists/exports}.e2e.spec.ts',
  'test/embedded-postgres/*.spec.ts',
  'test/service/{worker,create-admin,processes}*.spec.ts',
  'test/modules/auth/single-sign-on/openid-provider.spec.ts',
  'test/modules/testing/*.permissions.e2e.spec.ts',
  'test/modules/{auth/login-load,auth/guessing,auth/revocation,accounts/large-closing,emails/payment-emails,emails/outbox}.e2e.spec.ts',
  'test/modules/{ledger/ledger-races,transactions/due-transactions,payment-requests/checkout/hosted-checkout-races}.e2e.spec.ts',
  'test/platform/telemetry/tracing.e2e.spec.ts',
  'test/**/*.browser.spec.ts',
  'test/client/package.e2e.spec.ts',
];

const swcrc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

/** What every run has in common. Suites in `excluded` do not run, also if `included` names them. */
export const suites = (included, excluded = []) => ({
  testMatch: [...included.map((glob) => `<rootDir>/${glob}`), ...excluded.map((glob) => `!**/${glob}`)],
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  transform: { '\\.tsx?$': ['@swc/jest', { ...swcrc, $schema: undefined, swcrc: false }] },
  // The client imports its TypeScript files as the JavaScript files that they become.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/jest/set-up.ts',
  globalTeardown: '<rootDir>/test/support/jest/tear-down.ts',
});

/** How suites run. */
export const run = {
  roots: ['<rootDir>/test'],
  // Suites wait for Chromium and PostgreSQL, so there is one worker more than cores. All share one PostgreSQL server, whose
  // connections limit the number of services.
  maxWorkers: Math.min(4, availableParallelism() + 1),
  testSequencer: '<rootDir>/test/support/jest/longest-first.cjs',
  // Detects what hangs. It is no bound of a duration, since a machine may be slow or busy.
  testTimeout: 120_000,
};

/** All suites: `npm run test:all`, or `npx jest <folder>` for some. */
export default {
  projects: [
    { displayName: 'fast', ...suites(['test/**/*.spec.ts'], slowSuites) },
    { displayName: 'slow', ...suites(slowSuites) },
  ],
  ...run,
};
