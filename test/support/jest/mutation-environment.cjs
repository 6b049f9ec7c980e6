const { AsyncLocalStorage } = require('node:async_hooks');
const Environment = require('./environment.cjs');

/** What the present suite uses, with its own copies of Jest and of the service. */
const used = new Set();
for (const name of ['run', 'enterWith']) {
  const call = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    used.add(this);
    return call.apply(this, args);
  };
}

/** For thousands of runs in one process, of which those with a mutant end at the first test that fails. */
module.exports = class extends Environment {
  hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure') this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }

  /** Node.js 20 goes through all storages at each promise, until they are disabled. */
  async teardown() {
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
};
