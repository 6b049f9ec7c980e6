import { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { AddressInfo, connect, Server, Socket } from 'node:net';
import { join } from 'node:path';
import {
  connect as connectTls,
  ConnectionOptions,
  createServer as createTlsServer,
  TLSSocket,
} from 'node:tls';
import { CONNECTION_LIMITS } from '../../../src/platform/http/server/http-server';
import { createServer } from '../../../src/platform/http/server/server';
import { Log } from '../../../src/platform/telemetry/log';

const pem = (name: string): string => join(__dirname, `localhost-rsa.${name}.pem`);
/** A busy machine makes a whole handshake within this time, too. */
const HANDSHAKE_MS = 1_000;

const version = (name: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2', ciphers: string): ConnectionOptions => ({
  minVersion: name,
  maxVersion: name,
  ciphers: `${ciphers}:@SECLEVEL=0`,
});

describe("The service's own TLS", () => {
  const logged: string[] = [];
  let server: FastifyInstance;
  /** Accepts whatever this version of OpenSSL can do, so that each offer below proves to be one. */
  let lax: Server;

  beforeAll(async () => {
    const settings = {
      port: 0,
      listenAddress: '127.0.0.1',
      rateLimitPerSecond: 0,
      maxConnections: 100,
      maxConnectionsPerNetwork: 100,
      trustedProxies: [],
      corsOrigins: [],
      shutdownDelayMs: 0,
      requireHttps: false,
      tls: { certFile: pem('cert'), keyFile: pem('key') },
      strictTransportSecurity: false,
    };
    const log = new Log('info', { write: (line: string) => void logged.push(line) });
    const limits = { ...CONNECTION_LIMITS, handshakeTimeoutMs: HANDSHAKE_MS };
    server = createServer(settings, log, limits).getInstance<FastifyInstance>();
    server.get('/ok', () => ({ ok: true }));
    await server.listen({ port: 0, host: '127.0.0.1' });
    lax = createTlsServer({
      cert: readFileSync(pem('cert')),
      key: readFileSync(pem('key')),
      minVersion: 'TLSv1',
      ciphers: 'ALL:COMPLEMENTOFALL:@SECLEVEL=0',
      dhparam: 'auto',
    });
    lax.on('secureConnection', (socket: TLSSocket) => socket.on('error', () => undefined).resume());
    lax.listen(0, '127.0.0.1');
    await once(lax, 'listening');
  });
  afterEach(async () => {
    // Whatever a client has done, the next one is served, and nothing has failed.
    expect(await responseTo({})).toContain('{"ok":true}');
    expect(logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
  afterAll(async () => {
    lax.close();
    await server.close();
  });

  const portOf = (target: Server): number => (target.address() as AddressInfo).port;

  async function handshake(target: Server, offer: ConnectionOptions): Promise<TLSSocket | null> {
    const socket = connectTls({
      port: portOf(target),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(pem('cert')),
      ...offer,
    });
    const isSecure = await new Promise<boolean>((resolve) => {
      socket.once('secureConnect', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    return isSecure ? socket : null;
  }

  /** The response to a request, as text. */
  async function responseTo(offer: ConnectionOptions): Promise<string> {
    const socket = (await handshake(server.server, offer))!;
    socket.write('GET /ok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += (chunk as Buffer).toString();
    return text;
  }

  /** What a connection without TLS receives until the server closes it, and how long that takes. */
  async function received(send: (socket: Socket) => void): Promise<{ bytes: Buffer; ms: number }> {
    const started = performance.now();
    const socket = connect(portOf(server.server), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    send(socket);
    await closed;
    return { bytes: Buffer.concat(chunks), ms: performance.now() - started };
  }

  it.each<[string, ConnectionOptions]>([
    ['TLS 1.0', version('TLSv1', 'ALL')],
    ['TLS 1.1', version('TLSv1.1', 'ALL')],
    ['CBC', version('TLSv1.2', 'ECDHE-RSA-AES128-SHA256')],
    ['CBC with SHA-384', version('TLSv1.2', 'ECDHE-RSA-AES256-SHA384')],
    ['CCM with a short tag', version('TLSv1.2', 'DHE-RSA-AES128-CCM8')],
    ['RSA key exchange', version('TLSv1.2', 'AES128-GCM-SHA256:AES256-GCM-SHA384')],
    ['DHE', version('TLSv1.2', 'DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384')],
    ['anonymous key exchange', version('TLSv1.2', 'AECDH-AES128-SHA')],
    ['no encryption', version('TLSv1.2', 'ECDHE-RSA-NULL-SHA')],
  ])('refuses %s', async (_, offer) => {
    const accepted = await handshake(lax, { ...offer, rejectUnauthorized: false });
    expect(accepted).not.toBeNull();
    accepted!.destroy();
    expect(await handshake(server.server, offer)).toBeNull();
  });

  it('accepts TLS 1.3, and TLS 1.2 with ECDHE and authenticated encryption', async () => {
    for (const [offer, suite] of [
      [{ minVersion: 'TLSv1.3' }, /^TLS_(AES|CHACHA20)/],
      [{ maxVersion: 'TLSv1.2' }, /^TLS_ECDHE_\w+(GCM|POLY1305)/],
    ] as const) {
      const socket = (await handshake(server.server, offer))!;
      expect(socket.getCipher().standardName).toMatch(suite);
      socket.destroy();
      expect(await responseTo(offer)).toContain('{"ok":true}');
    }
  });

  it('refuses a renegotiation', async () => {
    const renegotiated = async (target: Server): Promise<boolean> => {
      const socket = (await handshake(target, { maxVersion: 'TLSv1.2' }))!;
      const isDone = await new Promise<boolean>((resolve) => {
        socket.on('error', () => resolve(false)).on('close', () => resolve(false));
        socket.renegotiate({ rejectUnauthorized: false }, (error) => resolve(error === null));
      });
      socket.destroy();
      return isDone;
    };
    expect(await renegotiated(lax)).toBe(true);
    expect(await renegotiated(server.server)).toBe(false);
  });

  it.concurrent.each<[string, string | Buffer]>([
    ['plain HTTP', 'GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a hello of SSL 2', Buffer.from('802e0100020015000000100100800200800300800600400700c0', 'hex')],
    ['a record of another type', Buffer.from('1703030005aaaaaaaaaa', 'hex')],
    ['a record that is too long', Buffer.from(`160301ffff${'00'.repeat(70_000)}`, 'hex')],
    ['an alert', Buffer.from('15030300020228', 'hex')],
  ])('closes a connection with %s, without a response of HTTP', async (_, bytes) => {
    const reply = await received((socket) => socket.write(bytes));
    expect(reply.bytes.toString('latin1')).not.toContain('HTTP/');
    expect(reply.ms).toBeLessThan(HANDSHAKE_MS * 10);
  });

  it.concurrent.each<[string, (socket: Socket) => void]>([
    ['is silent', () => undefined],
    ['sends half a hello', (socket) => socket.write(Buffer.from('160301020001', 'hex'))],
    [
      'sends its hello byte by byte',
      (socket) => {
        socket.write(Buffer.from('16030102000100', 'hex'));
        const timer = setInterval(() => socket.write('\x01'), HANDSHAKE_MS / 10);
        socket.once('close', () => clearInterval(timer));
      },
    ],
  ])('closes a connection that %s when the handshake takes too long', async (_, send) => {
    const { ms } = await received(send);
    expect(ms).toBeGreaterThan(HANDSHAKE_MS * 0.8);
    expect(ms).toBeLessThan(HANDSHAKE_MS * 10);
  });
});
