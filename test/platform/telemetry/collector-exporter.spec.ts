import { Socket } from 'node:net';
import { CollectorExporter } from '../../../src/platform/telemetry/collector-exporter';
import { Log } from '../../../src/platform/telemetry/log';
import { HOSTILE_HTTP, HOSTILE_TLS, HostileServer } from '../../support/hostile-server';
import { until } from '../../support/until';

const DEADLINE_MS = 300;
const LIMIT_MS = 5_000;

/** The code of a failed export. */
const FAILED = 1;

async function assertEnds(protocol: string, behave: (socket: Socket) => void): Promise<void> {
  const server = await HostileServer.start(behave);
  const lines: string[] = [];
  const log = new Log('info', { write: (line) => lines.push(line) });
  const exporter = new CollectorExporter(
    `${protocol}://127.0.0.1:${server.port}/v1/traces`,
    log,
    DEADLINE_MS,
  );
  const send = (): Promise<number> =>
    new Promise((resolve) => exporter.export([], ({ code }) => resolve(code)));
  try {
    const started = performance.now();
    const codes = [await send(), await send()];
    expect(performance.now() - started).toBeLessThan(LIMIT_MS);
    // The first failure is logged. Spans whose response is cut off have arrived.
    expect(lines).toHaveLength(codes.includes(FAILED) ? 1 : 0);
    expect(await until(() => server.open === 0)).toBe(true);
    await exporter.shutdown();
  } finally {
    await server.stop();
  }
}

describe('An export of traces ends by its deadline, and so does the connection, when the collector', () => {
  it.concurrent.each(Object.entries(HOSTILE_HTTP))('%s', (_, behave) => assertEnds('http', behave));
  it.concurrent.each(Object.entries(HOSTILE_TLS))('%s', (_, behave) => assertEnds('https', behave));
});

it('An export that is given up ends at once, and so does its connection', async () => {
  const server = await HostileServer.start(HOSTILE_HTTP['never responds']!);
  const log = new Log('silent', { write: () => undefined });
  const exporter = new CollectorExporter(`http://127.0.0.1:${server.port}/v1/traces`, log, 120_000);
  const code = new Promise<number>((resolve) => exporter.export([], (result) => resolve(result.code)));
  expect(await until(() => server.open === 1)).toBe(true);
  exporter.abort();
  expect(await code).toBe(FAILED);
  expect(await until(() => server.open === 0)).toBe(true);
  await server.stop();
});
