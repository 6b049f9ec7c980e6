import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { CallScope } from '../../../src/platform/telemetry/call-scope';
import {
  currentCall,
  inScopeOfCaller,
  PromiseScopes,
  runInScope,
  runOutsideCalls,
} from '../../../src/platform/telemetry/call-scope';

const named = (name: string): CallScope => ({ holder: { current: name } });

describe.each([
  ['before Node.js 24', () => new PromiseScopes()],
  ['from Node.js 24', () => new AsyncLocalStorage<CallScope | undefined>()],
])('The storage of scopes %s', (_versions, create) => {
  const calls = create();
  const holder = (): string | null | undefined => calls.getStore()?.holder?.current;

  it('has no scope outside of calls', async () => {
    expect(holder()).toBeUndefined();
    await delay(1);
    expect(holder()).toBeUndefined();
  });

  it('keeps the scope of a call in all that it awaits, and restores it afterwards', async () => {
    const seen: unknown[] = [];
    const see = (): unknown => seen.push(holder());
    await calls.run(named('outer'), async () => {
      see();
      await Promise.resolve();
      see();
      await calls.run(named('inner'), async () => {
        await setImmediate();
        see();
      });
      see();
      await Promise.all([delay(2).then(see), Promise.reject(new Error('lost')).catch(see)]);
      await { then: (resolve: (value: unknown) => void) => resolve(see()) };
      see();
    });
    expect(seen).toEqual(['outer', 'outer', 'inner', 'outer', 'outer', 'outer', 'outer', 'outer']);
    expect(holder()).toBeUndefined();
  });

  it('restores the scope after a call that throws', () => {
    const fail = (): void => {
      throw new Error('broken');
    };
    calls.run(named('outer'), () => {
      expect(() => calls.run(named('inner'), fail)).toThrow('broken');
      expect(holder()).toBe('outer');
    });
    expect(holder()).toBeUndefined();
  });

  it('keeps many calls at once apart, also where one ends what another awaits', async () => {
    const gate = new EventEmitter();
    const call = async (name: string): Promise<unknown[]> => {
      const opened = once(gate, 'open');
      if (name === '7') calls.run(named('opener'), () => gate.emit('open'));
      else await opened;
      const seen = [holder()];
      for (let step = 0; step < 5; step += 1) {
        await delay(Number(name) % 3);
        seen.push(holder());
      }
      return seen;
    };
    const names = Array.from({ length: 8 }, (_, index) => String(index));
    const seen = await Promise.all(names.map((name) => calls.run(named(name), () => call(name))));
    expect(seen).toEqual(names.map((name) => Array.from({ length: 6 }, () => name)));
  });

  it('keeps the scope in which a generator is asked for its next part', async () => {
    async function* parts(): AsyncGenerator {
      for (;;) {
        await Promise.resolve();
        yield holder();
      }
    }
    const steps = parts();
    const next = (name: string): Promise<unknown> => calls.run(named(name), () => steps.next());
    expect([await next('a'), await next('b')]).toMatchObject([{ value: 'a' }, { value: 'b' }]);
  });
});

describe('The scope of the current call', () => {
  it('is changed in parts for what it runs', async () => {
    const seen = await runInScope(named('owner'), () =>
      runInScope({ isBackground: true }, async () => {
        await Promise.resolve();
        return currentCall();
      }),
    );
    expect(seen).toEqual({ ...named('owner'), isBackground: true });
    expect(currentCall()).toBeUndefined();
  });

  it('is that of the caller again in what a callback runs for it', async () => {
    const callbacks: (() => unknown)[] = [];
    runInScope(named('owner'), () => {
      const asCaller = inScopeOfCaller();
      callbacks.push(() => asCaller(() => currentCall()));
    });
    expect(await runInScope(named('other'), async () => callbacks[0]?.())).toEqual(named('owner'));
  });

  it('does not hold for what calls share', async () => {
    expect(
      await runInScope(named('owner'), () => runOutsideCalls(async () => currentCall())),
    ).toBeUndefined();
  });
});
