import type { Context } from '@opentelemetry/api';
import { AsyncLocalStorage } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';

/** What belongs to the current call, in all that it awaits. */
export interface CallScope {
  /** To whom the database connections of the call are charged (see `Database.runFor`). */
  readonly holder?: { current: string | null };
  /** Whether the call is background work, which has connections of its own. */
  readonly isBackground?: boolean;
  /** The trace that the call is a part of. */
  readonly trace?: Context;
}

type ScopeStorage = Pick<AsyncLocalStorage<CallScope | undefined>, 'getStore' | 'run'>;

/**
 * The part of AsyncLocalStorage that the service needs, for a Node.js before 24. There, AsyncLocalStorage follows every
 * promise, timer and socket of a process through its list of asynchronous resources, which takes a fifth of the time of a
 * short read. This one follows promises, and nothing else: what a callback of a timer, an event or a stream runs is
 * outside of every call, unless `inScopeOfCaller` binds it.
 */
export class PromiseScopes implements ScopeStorage {
  private current: CallScope | undefined;

  constructor() {
    const member = Symbol('scope');
    type Scoped = Promise<unknown> & { [member]?: CallScope };
    promiseHooks.createHook({
      init: (promise: Scoped) => {
        if (this.current !== undefined) promise[member] = this.current;
      },
      before: (promise: Scoped) => {
        this.current = promise[member];
      },
      after: () => {
        this.current = undefined;
      },
    });
  }

  getStore(): CallScope | undefined {
    return this.current;
  }

  run<T>(scope: CallScope | undefined, work: () => T): T {
    const outer = this.current;
    this.current = scope;
    try {
      return work();
    } finally {
      this.current = outer;
    }
  }
}

const [major] = process.versions.node.split('.').map(Number) as [number];
const calls: ScopeStorage = major < 24 ? new PromiseScopes() : new AsyncLocalStorage();

/** Returns the scope of the current call; undefined outside of all. */
export function currentCall(): CallScope | undefined {
  return calls.getStore();
}

/** Runs `work` as a part of the current call, with another scope. */
export function runInScope<T>(change: CallScope, work: () => T): T {
  return calls.run({ ...calls.getStore(), ...change }, work);
}

/** Runs `work` as a part of no call: for what several calls share. */
export function runOutsideCalls<T>(work: () => T): T {
  return calls.run(undefined, work);
}

/** Returns a function that runs others as a part of the present call, from wherever they are called. */
export function inScopeOfCaller(): <T>(work: () => T) => T {
  const scope = calls.getStore();
  return (work) => calls.run(scope, work);
}
