const { AsyncLocalStorage } = require('node:async_hooks');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
require('reflect-metadata');

/** What Jest replaces for a suite. */
const { console } = globalThis;
const exit = process.exit.bind(process);

/** The storages that the present suite uses: those of Jest, which it creates for each suite, and of the service. */
const storages = new Set();
for (const name of ['run', 'enterWith']) {
  const call = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    storages.add(this);
    return call.apply(this, args);
  };
}

/** Suites have the globals of their worker, like the service. It is JavaScript, since Stryker loads it without Jest. */
module.exports = class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;

  constructor({ projectConfig }) {
    // Given `globalThis` itself, it would fake `node:timers/promises` too.
    const global = new Proxy(globalThis, {});
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global });
  }

  getVmContext() {
    return globalThis;
  }

  async setup() {}

  /** Removes what Jest has changed for the suite. */
  async teardown() {
    this.fakeTimersModern.dispose();
    globalThis.console = console;
    process.exit = exit;
    // Jest keeps a suite's state and timeout under symbols such as TEST_TIMEOUT_SYMBOL.
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (/^[A-Z_]+$/.test(symbol.description ?? '')) Reflect.deleteProperty(globalThis, symbol);
    // Node.js 20 goes through all storages at each promise, until they are disabled.
    for (const storage of storages) storage.disable();
    storages.clear();
  }
};
