import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import 'reflect-metadata';

/** What Jest replaces for a suite. */
const { console } = globalThis;
const exit = process.exit.bind(process);

/** Suites have the globals of their worker, like the service. */
export default class WorkerEnvironment implements JestEnvironment {
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;

  constructor({ projectConfig }: JestEnvironmentConfig) {
    // Given `globalThis` itself, it would fake `node:timers/promises` too.
    const global = new Proxy(globalThis, {});
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global });
  }

  getVmContext() {
    return globalThis;
  }

  async setup(): Promise<void> {}

  /** Removes what Jest has changed for the suite. */
  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    globalThis.console = console;
    process.exit = exit;
    // Jest keeps a suite's state and timeout under symbols such as TEST_TIMEOUT_SYMBOL.
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (/^[A-Z_]+$/.test(symbol.description ?? '')) Reflect.deleteProperty(globalThis, symbol);
  }
}
