module.exports = () => globalThis.countinghouse.stop();
