/** All suites, including the slow ones that `npm test` skips: `npm run test:all`. */

/** @type {import('jest').Config} */
module.exports = {
  ...require('./jest.config.js'),
  testPathIgnorePatterns: ['/node_modules/'],
};
