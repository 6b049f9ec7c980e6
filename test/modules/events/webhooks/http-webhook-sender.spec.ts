import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import {
  HttpWebhookSender,
  SenderOptions,
} from '../../../../src/modules/events/webhooks/http-webhook-sender.adapter';
import { until } from '../../../support/until';
import { behaviors, HostileReceiver } from './hostile-receiver';
import { NameServer } from './name-server';
import { Receiver } from './receiver';

/** Longer than a request takes on a busy machine. */
const TIMEOUT_MS = 2_000;

const messageTo = (url: string) => ({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"type":"ping"}' });
const sender = (options: Partial<SenderOptions> = {}) =>
  new HttpWebhookSender({ allowPrivateAddresses: true, ...options });

describe('A webhook request', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());

  it('posts the body as JSON with the headers of the message', async () => {
    expect(await sender().send(messageTo(`${receiver.url}/hooks?a=1`))).toEqual({
      error: null,
      responseStatus: 200,
      responseBody: 'thank you',
      durationMs: expect.any(Number),
    });
    expect(receiver.received).toMatchObject([
      {
        path: '/hooks?a=1',
        body: '{"type":"ping"}',
        headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json', 'content-length': '15' },
      },
    ]);
  });

  it.each([
    [204, null],
    [299, null],
    [400, 'bad_status'],
    [410, 'bad_status'],
    [503, 'bad_status'],
  ])('with the response %d has the error %s', async (status, error) => {
    receiver.respondWith(status);
    expect(await sender().send(messageTo(receiver.url))).toMatchObject({ error, responseStatus: status });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %d', async (status) => {
    const canary = await Receiver.start();
    receiver.respondWith(status, { location: canary.url });
    const result = await sender().send(messageTo(receiver.url));
    expect(result).toMatchObject({ error: 'redirect', responseStatus: status });
    expect(canary.connections).toBe(0);
    await canary.stop();
  });

  it('ends after the time limit when no response comes', async () => {
    receiver.respond = () => undefined;
    const result = await sender({ timeoutMs: 50 }).send(messageTo(receiver.url));
    expect(result).toMatchObject({ error: 'timeout', responseStatus: null, responseBody: null });
  });

  it('ends as a timeout when its caller ends it', async () => {
    const deadline = new AbortController();
    receiver.respond = () => deadline.abort();
    const result = await sender().send(messageTo(receiver.url), deadline);
    expect(result).toMatchObject({ error: 'timeout', responseStatus: null });
  });

  it('succeeds by the status, also when the rest of the response never comes', async () => {
    receiver.respond = (response) => response.writeHead(200).write('only the beginning');
    const result = await sender({ timeoutMs: TIMEOUT_MS }).send(messageTo(receiver.url));
    expect(result).toMatchObject({ error: null, responseStatus: 200, responseBody: 'only the beginning' });
  });

  it('reads a bounded part of an endless response, and keeps its first 1,000 characters', async () => {
    let written = 0;
    receiver.respond = (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('ä\0'.repeat(5_000))) written += 15_000;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const result = await sender().send(messageTo(receiver.url));
    expect(result).toMatchObject({ error: null, responseBody: 'ä\ufffd'.repeat(500) });
    expect(written).toBeLessThan(50_000_000);
  });

  it('does not run into its own time limit when a kept connection was closed meanwhile', async () => {
    const one = sender();
    const kept = new Set<import('node:net').Socket>();
    receiver.respond = (response) => {
      kept.add(response.socket!);
      response.end();
    };
    await one.send(messageTo(receiver.url));
    for (const socket of kept) socket.resetAndDestroy();
    expect(await one.send(messageTo(receiver.url))).toMatchObject({ error: null });
  });

  it.each([
    ['the connection is refused', 'connection'],
    ['the connection breaks', 'connection'],
  ])('fails with %s: %s', async (what, error) => {
    const server = createServer((socket) => socket.destroy());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    if (what === 'the connection is refused') server.close();
    expect(await sender().send(messageTo(`http://127.0.0.1:${port}/`))).toMatchObject({ error });
    server.close();
  });

  it('fails when the certificate is not trusted', async () => {
    const [key, cert] = ['key', 'cert'].map((name) =>
      readFileSync(join(__dirname, `../../auth/localhost.${name}.pem`)),
    );
    const server = createTlsServer({ key, cert });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const result = await sender().send(messageTo(`https://localhost:${port}/`));
    expect(result).toMatchObject({ error: 'certificate', responseStatus: null });
    server.close();
  });
});

describe('A webhook request to a hostile receiver', () => {
  /** The machine may be busy. Without a deadline, a request would not end at all. */
  const LATE_MS = 5_000;

  const agentOf = (one: HttpWebhookSender): Agent => (one as any).agents['http:'];

  const endOf = async (url: string, options: Partial<SenderOptions> = {}) => {
    const startedAt = performance.now();
    const result = await sender({ timeoutMs: TIMEOUT_MS, ...options }).send(messageTo(url));
    expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS + LATE_MS);
    return result;
  };

  const results: Record<keyof typeof behaviors, object> = {
    'switches protocols': { error: 'bad_status', responseStatus: 101 },
    'says 101 and goes on': { error: 'bad_status', responseStatus: 101 },
    'responds after 14 seconds': { error: 'timeout', responseStatus: null },
    'sends a byte of the headers each second': { error: 'timeout', responseStatus: null },
    'sends a byte of the body each second': { error: null, responseStatus: 200 },
    'sends headers without an end': { error: 'connection', responseStatus: null },
    'sends responses of 1xx without an end': { error: 'connection', responseStatus: null },
    'resets the connection in the middle': { error: null, responseStatus: 200 },
    'sends a compressed bomb': { error: null, responseStatus: 200 },
    'redirects to itself': { error: 'redirect', responseStatus: 307 },
    'never responds': { error: 'timeout', responseStatus: null },
  };

  /** After a complete response, the connection is kept for the next request. */
  const complete = ['says 101 and goes on', 'sends a compressed bomb', 'redirects to itself'];

  it.each(Object.entries(results))(
    'that %s ends by its deadline, with its connection',
    async (how, result) => {
      const receiver = await HostileReceiver.start();
      expect(await endOf(receiver.urlOf(how as keyof typeof behaviors))).toMatchObject(result);
      if (!complete.includes(how)) expect(await until(() => receiver.open.size === 0)).toBe(true);
      await receiver.stop();
    },
  );

  it('ends by its deadline when the name server never responds', async () => {
    const resolve = () => new Promise<string[]>(() => undefined);
    expect(await endOf('http://slow.example.com/', { resolve })).toMatchObject({ error: 'timeout' });
  });

  it('ends by its deadline when the TLS handshake does not', async () => {
    const receiver = await HostileReceiver.start();
    const url = `https://127.0.0.1:${receiver.port}/`;
    expect(await endOf(url)).toMatchObject({ error: 'timeout', responseStatus: null });
    expect(await until(() => receiver.open.size === 0)).toBe(true);
    await receiver.stop();
  });

  it('closes the connection of a receiver that responds without reading the request', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).pause();
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const one = sender();
    const message = { ...messageTo(url), body: 'x'.repeat(50_000_000) };
    expect(await one.send(message)).toMatchObject({ error: null, responseStatus: 200 });
    expect(await until(() => Object.keys(agentOf(one).sockets).length === 0)).toBe(true);
    expect(agentOf(one).freeSockets).toEqual({});
    server.close();
  });

  it('keeps a bounded number of connections that are not used', async () => {
    const receivers = await Promise.all(Array.from({ length: 130 }, () => Receiver.start()));
    const one = sender();
    const results = await Promise.all(receivers.map(({ url }) => one.send(messageTo(url))));
    expect(results.every(({ error }) => error === null)).toBe(true);
    expect(await until(() => Object.keys(agentOf(one).sockets).length === 0)).toBe(true);
    expect(Object.keys(agentOf(one).freeSockets)).toHaveLength(100);
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  });
});

/** The canary is the only server that a request could reach. */
describe('A webhook to an address that is not public', () => {
  let canary: Receiver;
  beforeAll(async () => {
    canary = await Receiver.start();
  });
  afterAll(() => canary.stop());
  afterEach(() => expect(canary.connections).toBe(0));

  const hosts = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '169.254.169.254',
    '10.0.0.1',
  ];
  it.each(hosts)('is not sent to %s', async (host) => {
    const result = await sender({ allowPrivateAddresses: false }).send(
      messageTo(`http://${host}:${canary.port}/`),
    );
    expect(result).toMatchObject({ error: 'address_refused', responseStatus: null });
  });

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a public and a private address', ['93.184.216.34', '127.0.0.1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['an address of the link', ['169.254.169.254']],
  ])('is not sent to a name with %s', async (_, addresses) => {
    const resolve = async (): Promise<string[]> => addresses;
    const result = await sender({ allowPrivateAddresses: false, resolve }).send(
      messageTo(`http://hooks.example.com:${canary.port}/`),
    );
    expect(result).toMatchObject({ error: 'address_refused' });
  });

  it('is not sent to a name whose address changes: each connection uses the address that was checked', async () => {
    // A documentation address would be refused as well; this one is public and leads nowhere from here.
    const names = await NameServer.start((lookUp) => [lookUp % 2 === 1 ? '93.184.216.34' : '127.0.0.1']);
    const nameServers = [names.address];
    const one = sender({ allowPrivateAddresses: false, nameServers, timeoutMs: TIMEOUT_MS });
    const url = `http://rebind.example.com:${canary.port}/`;
    for (let count = 0; count < 3; count += 1) {
      expect((await one.send(messageTo(url))).error).toMatch(/^(timeout|connection)$/);
      expect(await one.send(messageTo(url))).toMatchObject({ error: 'address_refused' });
    }
    // One for each connection: the check and the connection use the same.
    expect(names.lookUps).toBe(6);
    names.stop();
  });

  it('is not sent to an address of the link where private addresses are allowed', async () => {
    expect(await sender().send(messageTo(`http://169.254.169.254/latest/meta-data`))).toMatchObject({
      error: 'address_refused',
    });
  });

  it('is not sent to a name without an address', async () => {
    const resolve = async (): Promise<string[]> => [];
    expect(await sender({ resolve }).send(messageTo('https://nowhere.example.com/'))).toMatchObject({
      error: 'dns',
    });
  });
});
