import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import {
  HttpWebhookSender,
  SenderOptions,
} from '../../../src/modules/webhooks/infrastructure/http-webhook-sender';
import { Receiver } from './receiver';

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

  it('succeeds by the status, also when the rest of the response never comes', async () => {
    receiver.respond = (response) => response.writeHead(200).write('only the beginning');
    const result = await sender({ timeoutMs: 200 }).send(messageTo(receiver.url));
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
      readFileSync(join(__dirname, `../auth/localhost.${name}.pem`)),
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
    let looks = 0;
    const resolve = async (): Promise<string[]> => {
      looks += 1;
      // A documentation address would be refused as well; this one is public and leads nowhere from here.
      return looks === 1 ? ['93.184.216.34'] : ['127.0.0.1'];
    };
    const one = sender({ allowPrivateAddresses: false, resolve, timeoutMs: 100 });
    const url = `http://rebind.example.com:${canary.port}/`;
    expect((await one.send(messageTo(url))).error).toMatch(/^(timeout|connection)$/);
    expect(looks).toBe(1);
    expect(await one.send(messageTo(url))).toMatchObject({ error: 'address_refused' });
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
