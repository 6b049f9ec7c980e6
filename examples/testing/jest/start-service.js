const { startCountinghouse } = require('countinghouse/testing');

module.exports = async () => {
  globalThis.countinghouse = await startCountinghouse({ env: { TEST_OPERATIONS: 'true' } });
  process.env.COUNTINGHOUSE_URL = globalThis.countinghouse.url;
};
