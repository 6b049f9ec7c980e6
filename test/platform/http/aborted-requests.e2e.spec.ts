import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { untilOneWaits } from '../../support/lock-waits';
import { anAccount, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { until } from '../../support/until';

/** Enough for the service to see that a connection of the same machine is closed. */
const NOTICED_WITHIN_MS = 100;

let service: TestService;
let account: Owner;

beforeAll(async () => {
  service = await startTestService({ METRICS_PORT: '0' });
  account = await anAccount(service.api);
});
afterAll(() => service.stop());

/** Opens a connection and sends a request, whose response nobody reads. */
async function send(line: string, id: string, body = '', length = body.length): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const headers = [
    'Host: localhost',
    `Authorization: Bearer ${account.token}`,
    `X-Request-Id: ${id}`,
    ...(length === 0 ? [] : ['Content-Type: application/json', `Content-Length: ${length}`]),
  ];
  await new Promise((resolve) =>
    socket.write(`${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`, resolve),
  );
  return socket;
}

/** What the log says about a request. */
const linesOf = (id: string): Record<string, unknown>[] =>
  service.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ request_id }) => request_id === id);

const isLogged = (id: string): Promise<boolean> => until(() => linesOf(id).length > 0);

/** How many requests the metrics have counted. */
async function counted(method: string, route: string, status: number): Promise<number> {
  const labels = `http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"`;
  const text = await (await fetch(service.metricsUrl!)).text();
  const name = `http_server_request_duration_seconds_count{${labels}} `;
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.slice(name.length) ?? 0,
  );
}

const aCredit = (): string =>
  JSON.stringify({ account_id: account.accountId, amount: 500, currency: 'USD', type: 'credit' });

describe('A request whose client goes away', () => {
  it('is logged and counted once it is processed, with the status that the response would have had', async () => {
    const before = await counted('POST', '/v1/transactions', 201);
    await service.sql('BEGIN');
    await service.sql('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [account.accountId]);
    const socket = await send('POST /v1/transactions', 'committed', aCredit());
    await untilOneWaits(service);
    socket.destroy();
    await delay(NOTICED_WITHIN_MS);
    expect(linesOf('committed')).toEqual([]);
    await service.sql('COMMIT');
    expect(await isLogged('committed')).toBe(true);
    await delay(NOTICED_WITHIN_MS);
    expect(linesOf('committed')).toEqual([
      expect.objectContaining({
        level: 30,
        msg: 'request',
        method: 'POST',
        route: '/v1/transactions',
        status: 201,
        principal: account.id,
        aborted: true,
      }),
    ]);
    expect(await counted('POST', '/v1/transactions', 201)).toBe(before + 1);
    const { body } = await account.api.get(`/v1/transactions?account_id=${account.accountId}`);
    expect(body.data).toHaveLength(1);
  });

  it('is logged whenever it goes, also if it is rejected', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `rejected-${index}`);
    for (const [index, id] of ids.entries()) {
      const socket = await send('GET /v1/audit-log', id);
      await delay(index % 5);
      socket.destroy();
    }
    for (const id of ids) expect(await isLogged(id)).toBe(true);
    await delay(NOTICED_WITHIN_MS);
    expect(ids.map((id) => linesOf(id).map(({ status }) => status))).toEqual(ids.map(() => [403]));
  });

  it('before its body has arrived is no error of the service', async () => {
    const socket = await send('POST /v1/transactions', 'cut', '{"a', 500);
    await delay(NOTICED_WITHIN_MS);
    socket.destroy();
    expect(await isLogged('cut')).toBe(true);
    expect(linesOf('cut')).toEqual([
      expect.objectContaining({ level: 30, msg: 'request', status: 499, aborted: true }),
    ]);
    expect(await counted('POST', '/v1/transactions', 499)).toBe(1);
  });

  it('leaves the mark of an aborted request on no other', async () => {
    const { headers } = await account.api.get('/v1/account', { headers: { connection: 'close' } });
    const id = headers.get('x-request-id')!;
    expect(await isLogged(id)).toBe(true);
    expect(linesOf(id)).toEqual([expect.not.objectContaining({ aborted: true })]);
  });
});
