/** The long form of the fault checks, one after the other so that their figures hold: `npm run test:faults`. */
process.env.CHECK_FORM = 'long';

/** @type {import('jest').Config} */
module.exports = {
  ...require('./jest.config.js'),
  testMatch: ['<rootDir>/test/faults/**/*.spec.ts'],
  maxWorkers: 1,
};
