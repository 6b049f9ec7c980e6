import { run, suites } from './jest.config.mjs';

process.env.CHECK_FORM = 'long';

/** The fault tests with many repetitions: `npm run test:faults`. They run one at a time, which makes durations comparable. */
export default {
  ...run,
  ...suites(['test/system/faults/**/*.spec.ts', 'test/system/input/generated-calls.e2e.spec.ts']),
  maxWorkers: 1,
};
