const { default: Runner } = require('jest-runner');

/** Ends a run after the first suite that fails: the mutant is killed. Stryker has no other way to say so. */
module.exports = class extends Runner {
  async runTests(tests, watcher, options) {
    let hasFailed = false;
    this.on('test-file-success', ([, { numFailingTests }]) => (hasFailed ||= numFailingTests > 0));
    for (const test of tests) if (!hasFailed) await super.runTests([test], watcher, options);
  }
};
