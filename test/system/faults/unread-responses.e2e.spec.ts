import { Attack, pipelined } from '../../support/attacks';
import { residentMb } from '../../support/compiled';
import { LIMIT_MS, report, wait } from './support/form';
import { Installation } from './support/service-process';

/** Clients that pipeline requests and read no responses: memory stays flat, and others are served as before. */
jest.setTimeout(LIMIT_MS);

const CONNECTIONS = 16;
const PIPELINED = 1400;
const PHASE_MS = process.env['CHECK_FORM'] === 'long' ? 90_000 : 5000;
const HONEST_INTERVAL_MS = 20;

/**
 * The heap is small, so that the process ends soon where responses accumulate, and does not grow only because it has
 * much memory and collects no garbage yet.
 */
const HEAP_MB = 192;

let installation: Installation;

beforeEach(() => {
  installation = Installation.create();
});
afterEach(() => installation.remove());

it.each([
  ['of the largest document', pipelined(PIPELINED, '/openapi.json')],
  [
    'with changing tokens',
    pipelined(PIPELINED, '/v1/users/me', (index) => `Authorization: Bearer ${index}\r\n`),
  ],
])(`${CONNECTIONS} connections with ${PIPELINED} requests %s`, async (what, requests) => {
  const service = installation.start({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
  const url = await service.url;
  const without = await serveHonestClient(url, service.pid);
  const attack = new Attack(url);
  attack.sendUnread(CONNECTIONS, requests);
  const under = await serveHonestClient(url, service.pid);
  attack.stop();
  report(`Unread responses ${what}`, { seconds: PHASE_MS / 1000, without, under });
  expect(under.failed).toBe(0);
  expect(under.residentMb).toBeLessThan(without.residentMb + HEAP_MB);
  await service.signal('SIGTERM');
});

interface Served {
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The largest memory of the process. */
  readonly residentMb: number;
}

/** Sends a request at each interval over one connection, and measures them. */
async function serveHonestClient(url: string, pid: number): Promise<Served> {
  const durations: number[] = [];
  let failed = 0;
  let largestMb = 0;
  const end = performance.now() + PHASE_MS;
  while (performance.now() < end) {
    const start = performance.now();
    const status = await fetch(`${url}/health/ready`).then(
      async (response) => (await response.text()) && response.status,
      () => null,
    );
    durations.push(performance.now() - start);
    if (status !== 200) failed += 1;
    if (durations.length % 50 === 1) largestMb = Math.max(largestMb, residentMb(pid));
    await wait(HONEST_INTERVAL_MS);
  }
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (part: number): number => Number(sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(1));
  return {
    requests: durations.length,
    failed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    residentMb: Math.round(largestMb),
  };
}
