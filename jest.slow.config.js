/** The slow suites that `npm test` skips: `npm run test:slow`. */
const { testPathIgnorePatterns, ...config } = require('./jest.config.js');

const [dependencies, ...slowSuites] = testPathIgnorePatterns;
delete config.testMatch; // Jest rejects it beside testRegex.

/** @type {import('jest').Config} */
module.exports = { ...config, testPathIgnorePatterns: [dependencies], testRegex: slowSuites };
