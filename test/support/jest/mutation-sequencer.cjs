const { default: Sequencer } = require('@jest/test-sequencer');

/** A run ends after the first suite that fails: those of the kernel come first, since all others load the kernel too. */
module.exports = class extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => one.path.localeCompare(other.path));
  }
};
