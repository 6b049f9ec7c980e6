const Environment = require('./environment.cjs');

/** For thousands of runs in one process, of which those with a mutant end at the first test that fails. */
module.exports = class extends Environment {
  hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure') this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }
};
