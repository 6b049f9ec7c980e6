import { execFile } from 'node:child_process';
import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';
import path from 'node:path';
import { ADMIN, startTestService, TestService } from '../support/service';

/** `npm run demo` calls the API with the typed client, and must fail if a response is not as documented. */
const DEMO = path.resolve(__dirname, '../../scripts/demo.mjs');

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('The demo on a running service', () => {
  it('runs repeatedly on the same database and prints no secret', async () => {
    const admin = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
    for (let round = 1; round <= 2; round += 1) {
      const { code, out, err } = await demo(service.url, admin);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('== The back office ==');
      expect(out).toContain('The connection is lost');
      expect(out).toContain('201 (replayed)');
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
    id: 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w',
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
    ['status', 200, account, ' returned 200, which is not documented'],
    ['set of members (one missing)', 201, withoutSettings, " 201 .* must have required property 'settings'"],
    ['set of members (one too many)', 201, { ...account, role: 'user' }, ' 201 .* must NOT have additional'],
    ['value', 201, { ...account, settings: { ...settings, currency: 'EUR' } }, ': settings is '],
  ])('fails for a wrong %s', async (_, status, body, fault) => {
    await withServer(status, body, async (url) => {
      const { code, err } = await demo(url);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringMatching(`The demo failed. POST /v1/accounts${fault}`) as string,
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

/** Runs `work` against a server that is live, has the document of the service and else gives one response. */
async function withServer(status: number, body: object, work: (url: string) => Promise<void>): Promise<void> {
  const fixed: Record<string, string> = {
    '/health/live': JSON.stringify({ status: 'ok' }),
    '/openapi.json': await (await fetch(`${service.url}/openapi.json`)).text(),
  };
  const server: Server = createServer((request, response) => {
    const own = fixed[request.url!];
    response.writeHead(own === undefined ? status : 200, { 'content-type': 'application/json' });
    response.end(own ?? JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
