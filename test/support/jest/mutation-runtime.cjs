const { isAbsolute } = require('node:path');
const Runtime = require('./runtime.cjs');

/** Loads the service for each suite, like the tests: Stryker switches the mutants in it on and off. Packages are shared. */
module.exports = class extends Runtime {
  isShared(from, name) {
    return !name.startsWith('.') && !isAbsolute(name) && name !== '@jest/globals';
  }
};
