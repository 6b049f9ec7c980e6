import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { streamedFile } from '../../../src/platform/http/streamed-file';
import type { CallScope } from '../../../src/platform/telemetry/call-scope';
import { currentCall, runInScope } from '../../../src/platform/telemetry/call-scope';

describe('A streamed file', () => {
  const exporter: CallScope = { holder: { current: 'exporter' } };
  let scopes: unknown[];
  let isClosed: boolean;

  async function* parts(): AsyncGenerator<string> {
    try {
      for (const part of ['a', 'b', 'c']) {
        scopes.push(currentCall());
        await Promise.resolve();
        yield part;
      }
    } finally {
      scopes.push(currentCall());
      isClosed = true;
    }
  }

  const start = (): Readable =>
    runInScope(exporter, () => streamedFile(parts(), { type: 'text/csv' }).getStream());

  beforeEach(() => {
    scopes = [];
    isClosed = false;
  });

  it('is made by the call that begins it, although the client asks for its parts', async () => {
    expect((await buffer(start())).toString()).toBe('abc');
    expect(scopes).toEqual([exporter, exporter, exporter, exporter]);
  });

  it('ends what makes the parts when the client goes away', async () => {
    const stream = start();
    await runInScope(
      { holder: { current: 'other' } },
      () => new Promise((read) => stream.once('data', read)),
    );
    stream.destroy();
    await new Promise((closed) => stream.once('close', closed));
    expect(isClosed).toBe(true);
    expect(scopes.at(-1)).toEqual(exporter);
  });
});
