const { default: Sequencer } = require('@jest/test-sequencer');

/** The names of the tests of each suite that could be loaded in this process. */
const namesBySuite = new Map();

/**
 * Leaves out the suites without a test that Stryker asks for: it names tests, and Jest would load all suites to skip the
 * others. Those of the kernel come first, since all others load the kernel too.
 */
module.exports = class extends Sequencer {
  constructor(options) {
    super(options);
    this.pattern = new RegExp(options.globalConfig.testNamePattern ?? '', 'i');
  }

  sort(tests) {
    return tests
      .filter(({ path }) => namesBySuite.get(path)?.some((name) => this.pattern.test(name)) ?? true)
      .toSorted((one, other) => one.path.localeCompare(other.path));
  }

  cacheResults(_, { testResults: suites }) {
    for (const { testFilePath, testResults } of suites) {
      const names = testResults.map(({ fullName }) => fullName);
      if (names.length > 0) namesBySuite.set(testFilePath, names);
    }
  }
};
