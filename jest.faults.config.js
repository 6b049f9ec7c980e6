/** The fault tests with many repetitions: `npm run test:faults`. They run one at a time, which makes durations comparable. */
process.env.CHECK_FORM = 'long';

/** @type {import('jest').Config} */
module.exports = {
  ...require('./jest.all.config.js'),
  testMatch: [
    '<rootDir>/test/system/faults/**/*.spec.ts',
    '<rootDir>/test/system/input/generated-calls.e2e.spec.ts',
  ],
  maxWorkers: 1,
};
