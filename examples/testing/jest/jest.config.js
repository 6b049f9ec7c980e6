// One service for all test files. They share it, so they run one after another.
module.exports = {
  globalSetup: './start-service.js',
  globalTeardown: './stop-service.js',
  testEnvironment: 'node',
  maxWorkers: 1,
  testTimeout: 60_000,
};
