import { fileURLToPath } from 'node:url';
import { suites } from './jest.config.mjs';

/**
 * Suites that need no database or take long without being about a rule that `stryker.config.mjs` names. Stryker runs the
 * others for each change of a rule.
 */
const excluded = [
  'test/**/*.{e2e,browser}.spec.ts',
  'test/kernel/bounded-fetch.spec.ts',
  'test/modules/auth/{bearer-token,password-hasher,password-policy}.spec.ts',
  'test/modules/auth/single-sign-on/openid-provider.spec.ts',
  'test/modules/back-office/console/*.spec.ts',
  'test/modules/emails/*.spec.ts',
  'test/modules/events/webhooks/{delivery-scheduler,http-webhook-sender}.spec.ts',
  'test/modules/ledger/statements/{camt053,hostile-names,statement-pdf}.spec.ts',
  'test/modules/payment-requests/page/*.spec.ts',
  'test/modules/processors/stripe-calls.spec.ts',
];

const { testMatch, transform, moduleNameMapper } = suites(
  ['test/kernel/*.spec.ts', 'test/platform/database/entity-events.spec.ts', 'test/modules/**/*.spec.ts'],
  excluded,
);

/** The suites that Stryker runs (see `stryker.config.mjs`), without a database. */
export default {
  testMatch,
  transform,
  moduleNameMapper,
  roots: ['<rootDir>/test'],
  testSequencer: '<rootDir>/test/support/jest/mutation-sequencer.cjs',
  runner: '<rootDir>/test/support/jest/mutation-runner.cjs',
  setupFiles: ['<rootDir>/test/support/jest/mutation-set-up.cjs'],
  runtime: '<rootDir>/test/support/jest/mutation-runtime.cjs',
  // Stryker extends it, and needs its path.
  testEnvironment: fileURLToPath(new URL('test/support/jest/mutation-environment.cjs', import.meta.url)),
};
