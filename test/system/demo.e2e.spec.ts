import { execFile } from 'node:child_process';
import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';
import path from 'node:path';
import { ADMIN, startTestService, TestService } from '../support/service';

/** `npm run demo` calls the API and must fail if a response is not as documented. */
const DEMO = path.resolve(__dirname, '../../scripts/demo.mjs');

describe('The demo on a running service', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('runs repeatedly on the same database and prints no secret', async () => {
    const admin = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
    for (let round = 1; round <= 2; round += 1) {
      const { code, out, err } = await demo(service.url, admin);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('== The back office ==');
      expect(out).toContain('All responses were as documented.');
      expect(out).not.toContain(ADMIN.password);
      expect(out).not.toMatch(/eyJ|\/pay\/|demo [0-9a-f]{24}/);
    }
  });

  it('skips the operations of admins without an admin', async () => {
    const { code, out } = await demo(service.url);
    expect(code).toBe(0);
    expect(out).not.toContain('== The back office ==');
  });
});

describe('The demo on a service that does not respond as documented', () => {
  const account = {
    id: 'acc_1',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    type: 'individual',
    status: 'active',
    created_at: '2026-01-31T09:30:00.000Z',
    updated_at: '2026-01-31T09:30:00.000Z',
    settings: { currency: 'USD', timezone: 'UTC', language: 'en' },
  };
  const { settings, ...withoutSettings } = account;

  it.each([
    ['status', 200, account, 'the status is 200 and should be 201'],
    ['set of members (one missing)', 201, withoutSettings, 'the members are'],
    ['set of members (one too many)', 201, { ...account, role: 'user' }, 'the members are'],
    ['value', 201, { ...account, settings: { ...settings, currency: 'EUR' } }, 'settings is'],
  ])('fails for a wrong %s', async (_, status, body, fault) => {
    await withServer(status, body, async (url) => {
      const { code, err } = await demo(url);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining(`POST /v1/accounts: ${fault}`) as string,
      });
    });
  });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function demo(url: string, settings: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const env = { PATH: process.env['PATH'], COUNTINGHOUSE_URL: url, ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [DEMO], { env, timeout: 25_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

/** Runs `work` against a server that is live and gives every other request the same response. */
async function withServer(status: number, body: object, work: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer((request, response) => {
    const live = request.url === '/health/live';
    response.writeHead(live ? 200 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(live ? { status: 'ok' } : body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
