import { Receiver } from '../../modules/events/webhooks/receiver';
import { Developer } from '../../support/developer';

const KEY = `ch_${'k'.repeat(43)}`;

let service: Receiver;
let developer: Developer;

beforeEach(async () => {
  service = await Receiver.start();
  developer = new Developer();
});
afterEach(async () => {
  expect(developer.printed).not.toContain(KEY);
  developer.remove();
  await service.stop();
});

const get = (path: string, more: NodeJS.ProcessEnv = {}): ReturnType<Developer['run']> =>
  developer.run(`get ${path}`, '', {
    COUNTINGHOUSE_URL: service.url,
    COUNTINGHOUSE_API_KEY: KEY,
    ...more,
  });

describe('The API key', () => {
  it('is sent to the service', async () => {
    service.respond = (response) => response.end('{}');
    expect(await get('/v1/account')).toMatchObject({ code: 0, out: '{}\n' });
    expect(service.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
  });

  it.each([
    'v1/account',
    '/',
    '/pay/secret',
    '/v1/../pay/secret',
    '/v1/%2e%2e/pay',
    '/v1',
    '//example.com/v1/',
    'https://example.com/v1/account',
    '@example.com/v1/',
  ])('is not sent to %s', async (path) => {
    expect(await get(path)).toMatchObject({ code: 2, out: '' });
    expect(service.received).toEqual([]);
  });

  it('does not follow a redirect', async () => {
    const other = await Receiver.start();
    service.respondWith(307, { Location: `${other.url}/v1/account` });
    const { code, err } = await get('/v1/account');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('redirect') });
    expect(other.received).toEqual([]);
    await other.stop();
  });

  it('of a file is sent to no service but the one for which it was stored', async () => {
    service.respond = (response) => response.end('{"id":"acc_1"}');
    await developer.run(`login --url ${service.url}`, KEY);
    const other = await Receiver.start();
    const { code, err } = await developer.run('get /v1/account', '', { COUNTINGHOUSE_URL: other.url });
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining(`The stored API key belongs to ${service.url}`),
    });
    expect(other.received).toEqual([]);
    await other.stop();
  });

  it('is not sent or printed when it is malformed', async () => {
    const { code, err } = await get('/v1/account', { COUNTINGHOUSE_API_KEY: 'half a\nkey' });
    expect({ code, err }).toEqual({ code: 2, err: 'This is no API key: ch_ and 43 letters and digits.\n' });
    expect(service.received).toEqual([]);
  });

  it('is not stored after a response that does not come from the service', async () => {
    for (const [status, body] of [
      [200, '<html>'],
      [200, 'null'],
      [403, '{}'],
      [404, '{}'],
      [503, '{"error":"unavailable","message":"Later."}'],
    ] as const) {
      service.respond = (response) => response.writeHead(status).end(body);
      expect(await developer.run(`login --url ${service.url}`, KEY)).toMatchObject({ code: 1, out: '' });
    }
    expect(await developer.run('get /v1/account')).toMatchObject({ code: 2 });
  });
});

describe('A response', () => {
  it('that is missing is reported', async () => {
    service.respond = (response) => response.destroy();
    const { code, err } = await get('/v1/account');
    expect(code).toBe(1);
    expect(err).toMatch(/^There is no response to print\. http:\S+ does not respond \(\w+\)\.\n$/);
  });

  it('that is not JSON is not printed', async () => {
    service.respond = (response) => response.end('id,amount\n');
    expect(await get('/v1/transactions')).toMatchObject({
      code: 1,
      out: '',
      err: 'There is no response to print. It is not JSON.\n',
    });
  });

  it('cannot steer the terminal', async () => {
    service.respond = (response) =>
      response.end(JSON.stringify({ name: '\u001b[2J\u009b2J\u202e\u{e0041}' }));
    const { out } = await get('/v1/account');
    expect(out).toBe('{\n  "name": "\\u001b[2J\\u009b2J\\u202e\\udb40\\udc41"\n}\n');
    service.respond = (response) =>
      response.writeHead(400).end(JSON.stringify({ error: 'wrong\u009b', message: 'a\u001b[2J\u202e\nb' }));
    const { err } = await get('/v1/account');
    expect(JSON.parse(err)).toEqual({ error: 'wrong\u009b', message: 'a [2J b' });
    for (const control of ['\u001b', '\u009b']) expect(err).not.toContain(control);
  });
});
