/** Prints the number of finished suites. The default reporter shows it only on a terminal. */
module.exports = class ProgressReporter {
  finished = 0;

  onTestResult(_test, _result, { numTotalTestSuites, startTime }) {
    this.finished += 1;
    if (process.stderr.isTTY) return;
    const seconds = Math.round((Date.now() - startTime) / 1000);
    process.stderr.write(`${this.finished} of ${numTotalTestSuites} suites finished after ${seconds} s\n`);
  }
};
