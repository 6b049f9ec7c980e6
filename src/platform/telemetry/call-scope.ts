import type { Context, ContextManager } from '@opentelemetry/api';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorage } from 'node:async_hooks';

/** What belongs to the current call, in all that it awaits. */
interface CallScope {
  /** To whom the database connections of the call are charged (see `Database.runFor`). */
  readonly holder?: { current: string | null };
  /** The trace that the call is a part of. */
  readonly trace?: Context;
}

/**
 * The only storage of its kind in a process: until Node.js 24, every storage that has been used delays all promises of
 * the process for ever.
 */
export const calls = new AsyncLocalStorage<CallScope>();

/** Runs `work` as a part of the current call, with another scope. */
export function runInScope<T>(change: CallScope, work: () => T): T {
  return calls.run({ ...calls.getStore(), ...change }, work);
}

/** Keeps the contexts of OpenTelemetry in the scope of the call. */
export class CallContexts implements ContextManager {
  active(): Context {
    return calls.getStore()?.trace ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    trace: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return runInScope({ trace }, () => work.apply(thisArg, args));
  }

  bind<T>(trace: Context, target: T): T {
    if (typeof target !== 'function') return target;
    const work = target as (...args: unknown[]) => unknown;
    const bound: typeof work = (...args) => runInScope({ trace }, () => work(...args));
    return bound as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}
