import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Compiled } from '../support/compiled';
import { createDatabase, dropDatabase } from '../support/databases';
import { eventually, until } from '../support/until';

const PROCESSES = 2;
const REQUESTS = 12;
const COUNT = /^http_server_request_duration_seconds_count\{.*http_route="\/health\/live".*\} (\d+)$/m;

let compiled: Compiled;
let database: { name: string; url: string };

beforeAll(async () => {
  compiled = new Compiled();
  database = await createDatabase();
});
afterAll(async () => {
  compiled.stop();
  await dropDatabase(database.name);
});

type Running = ReturnType<Compiled['run']>;

const serve = (more: NodeJS.ProcessEnv = {}): Running =>
  compiled.run('serve', {
    DATABASE_URL: database.url,
    JWT_SECRETS: 'a test secret that is only used in tests',
    PORT: '0',
    METRICS_PORT: '0',
    WEB_CONCURRENCY: `${PROCESSES}`,
    ...more,
  });

/** Each request has a connection of its own, so that all processes get some. */
const isLive = (url: string): Promise<boolean> =>
  fetch(`${url}/health/live`, { headers: { connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  );

/** @returns the addresses of the API and of the metrics */
async function addressesOf(running: Running): Promise<{ url: string; metricsUrl: string }> {
  const listens = /listens on (\S+)[^]*Metrics: (\S+)/;
  expect(await until(() => listens.test(running.out))).toBe(true);
  const [, url, metricsUrl] = listens.exec(running.out)!;
  return { url: url!, metricsUrl: metricsUrl! };
}

/** Sends a part of a request. @returns a function that sends the rest and returns the response */
async function beginRequest(url: string): Promise<() => Promise<string>> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'a password of nobody' });
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(
    `POST /v1/auth/login HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await once(socket, 'data'); // a process has the request
  return async () => {
    socket.write(body);
    const [response] = (await once(socket, 'data')) as [string];
    socket.destroy();
    return response;
  };
}

const childrenOf = (pid: number): number[] =>
  execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([parent]) => parent === pid)
    .map(([, child]) => child!);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('WEB_CONCURRENCY', () => {
  it('is the number of processes on one port, whose metrics are one, and which stop on SIGTERM', async () => {
    const running = serve();
    const { url, metricsUrl } = await addressesOf(running);
    for (let sent = 0; sent < REQUESTS; sent += 1) expect(await isLive(url)).toBe(true);
    const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text();
    expect(Number(COUNT.exec(await metrics())![1])).toBe(REQUESTS);
    await eventually(metrics).toContain('countinghouse_due_items{task="transactions"} 0');
    running.signal('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(await isLive(url)).toBe(false);
    expect(running.err).toBe('');
  });

  it('replaces a process that dies, while the others respond, and when it is killed itself, they end after their requests', async () => {
    const running = serve();
    const { url } = await addressesOf(running);
    const children = childrenOf(running.pid);
    expect(children).toHaveLength(PROCESSES);
    process.kill(children[0]!, 'SIGKILL');
    expect(await until(() => !isRunning(children[0]!))).toBe(true);
    expect(await isLive(url)).toBe(true);
    expect(await until(() => childrenOf(running.pid).length === PROCESSES)).toBe(true);
    expect(running.out).toMatch(/"level":50.*SIGKILL.*server process \d, which starts again in 1 s/);
    const living = childrenOf(running.pid);
    const complete = await beginRequest(url);
    running.signal('SIGKILL');
    expect(await until(() => !isRunning(running.pid))).toBe(true);
    expect(await complete()).toMatch(/^HTTP\/1.1 401 /);
    expect(await until(() => !living.some(isRunning))).toBe(true);
  });

  it('does not replace a process that cannot start', async () => {
    const running = serve({ PORT: '1', LISTEN_ADDRESS: '203.0.113.1' });
    expect(await running.ended).toBe(1);
    expect(running.err).toContain('the service cannot listen there');
    expect(running.err).toContain('WEB_CONCURRENCY: a server process has ended, with the message above');
    expect(running.out).toBe('');
  });

  it('is rejected with TEST_OPERATIONS, which move the clock of one process', async () => {
    const running = serve({ TEST_OPERATIONS: 'true' });
    expect(await running.ended).toBe(1);
    expect(running.err).toContain('TEST_OPERATIONS: must be false with WEB_CONCURRENCY above 1');
  });
});
