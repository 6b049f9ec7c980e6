import { FastifyInstance } from 'fastify';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { AddressInfo, connect, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../../src/kernel/domain-error';
import { createServer } from '../../../src/platform/http/server/server';
import { CONNECTION_LIMITS, ConnectionLimits } from '../../../src/platform/http/server/http-server';
import { HttpSettings } from '../../../src/platform/http/http.settings';
import { streamedFile } from '../../../src/platform/http/streamed-file';
import { Log } from '../../../src/platform/telemetry/log';
import { pipelined } from '../../support/attacks';
import { until } from '../../support/until';

const LIMITS: ConnectionLimits = {
  ...CONNECTION_LIMITS,
  requestTimeoutMs: 1000,
  sendTimeoutMs: 1000,
  keepAliveMs: 60_000,
};
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x'); // more than the buffers of the operating system take

/** The parts of a file that fails in the middle. */
async function* failingParts(error: Error): AsyncIterable<string> {
  yield 'part 1\n';
  throw error;
}

/** The parts of a file that takes half as long again as a response may. */
async function* slowParts(): AsyncIterable<string> {
  for (let part = 1; part <= 6; part += 1) {
    await delay(LIMITS.sendTimeoutMs / 4);
    yield `part ${part}\n`;
  }
}

describe('Connections', () => {
  const logged: string[] = [];
  let server: FastifyInstance;
  let port: number;
  /** Responds to the requests that are held. */
  let release: () => void;
  let started: string[];

  async function start(settings: Partial<HttpSettings> = {}, limits = LIMITS): Promise<void> {
    const log = new Log('info', { write: (line: string) => void logged.push(line) });
    const adapter = createServer(
      {
        port: 0,
        listenAddress: '127.0.0.1',
        rateLimitPerSecond: 0,
        maxConnections: 100,
        maxConnectionsPerNetwork: 100,
        trustedProxies: [],
        corsOrigins: [],
        shutdownDelayMs: 0,
        requireHttps: false,
        tls: null,
        strictTransportSecurity: false,
        ...settings,
      },
      log,
      limits,
    );
    server = adapter.getInstance<FastifyInstance>();
    started = [];
    const held = new Promise<void>((resolve) => (release = resolve));
    server.get('/quick/:id', (request) => ({ url: request.url, nth: started.push(request.url) }));
    server.get('/held', () => held.then(() => ({ url: '/held' })));
    server.get('/large', (_request, reply) => reply.send(LARGE));
    server.get('/file', (_request, reply) => {
      adapter.reply(reply, streamedFile(slowParts(), { type: 'text/csv' })); // as for a controller
      return reply;
    });
    for (const error of [new DomainError('unauthorized', ''), new TypeError('secret')])
      server.get(`/failing/${error.name}`, (_request, reply) => {
        adapter.reply(reply, streamedFile(failingParts(error), { type: 'text/csv' }));
        return reply;
      });
    server.post('/quick', (request) => request.body);
    await server.listen({ port: 0, host: settings.listenAddress ?? '127.0.0.1' });
    port = (server.server.address() as AddressInfo).port;
  }

  afterEach(async () => {
    release();
    server.server.closeAllConnections();
    await server.close();
  });

  /** A connection whose received text and end can be awaited. */
  function open(address = '127.0.0.1'): { socket: Socket; text: () => string; closed: Promise<void> } {
    const socket = connect(port, address);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { socket, text: () => text, closed };
  }

  const requests = (count: number): string =>
    Array.from({ length: count }, (_, index) => pipelined(1, `/quick/${index}`)).join('');

  describe('with pipelined requests', () => {
    // A busy machine does not respond to thousands of requests within a second.
    beforeEach(() => start({}, { ...LIMITS, requestTimeoutMs: 30_000, sendTimeoutMs: 30_000 }));

    it('process one request at a time and respond to all in order', async () => {
      const { socket, text } = open();
      socket.write(pipelined(1, '/held') + requests(3000));
      await until(() => socket.bytesWritten > 100_000);
      expect(started).toEqual([]);
      release();
      expect(await until(() => text().includes('/quick/2999'))).toBe(true);
      expect(text().match(/"url":"[^"]+"/g)).toEqual(
        ['/held', ...Array.from({ length: 3000 }, (_, index) => `/quick/${index}`)].map(
          (url) => `"url":"${url}"`,
        ),
      );
      socket.destroy();
    });

    it('are not read while requests wait', async () => {
      const accepted = once(server.server, 'connection') as Promise<[Socket]>;
      const { socket, text } = open();
      socket.write(pipelined(1, '/held') + pipelined(200_000, '/quick/1'));
      const [peer] = await accepted;
      await until(() => peer.bytesRead > 0);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(peer.bytesRead).toBeLessThan(200_000);
      release();
      expect(await until(() => text().includes('/quick/1"'))).toBe(true);
      socket.destroy();
    });

    it('receive a body that follows a waiting request', async () => {
      const { socket, text } = open();
      const body = JSON.stringify({ text: 'x'.repeat(90_000) });
      const head = `POST /quick HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      socket.write(pipelined(1, '/held') + pipelined(1, '/quick/1') + head);
      await until(() => socket.bytesWritten > 0);
      socket.write(body + pipelined(1, '/quick/2'));
      release();
      expect(await until(() => text().includes('/quick/2"'))).toBe(true);
      expect(text()).toContain(body);
      socket.destroy();
    });

    it('give up a response whose request a malformed one follows', async () => {
      const { socket, text, closed } = open();
      socket.write(pipelined(1, '/held') + 'nonsense\r\n\r\n');
      await closed;
      expect(text()).toBe('');
    });
  });

  describe('of slow clients', () => {
    beforeEach(() => start());

    it('are closed when no response is read in time', async () => {
      const accepted = once(server.server, 'connection') as Promise<[Socket]>;
      const { socket } = open();
      socket.pause().write(pipelined(1, '/large'));
      const [peer] = await accepted;
      expect(await until(() => peer.destroyed)).toBe(true);
      socket.destroy();
    });

    it('stay open while a client takes the parts of a file, however long the whole takes', async () => {
      const { socket, text, closed } = open();
      let ended = false;
      void closed.then(() => (ended = true));
      socket.write(pipelined(1, '/file'));
      expect(await until(() => text().includes('part 6') || ended)).toBe(true);
      expect(text()).toContain('part 6');
      socket.destroy();
    });

    it.each([
      ['DomainError', 30, 'A response was cut off: unauthorized'],
      ['TypeError', 50, 'A response was cut off'],
    ])(
      'are closed when a file fails in the middle, by a %s, and the reason is logged',
      async (name, level, msg) => {
        const { socket, text, closed } = open();
        socket.write(`GET /failing/${name} HTTP/1.1\r\nHost: x\r\nX-Request-Id: of-${name}\r\n\r\n`);
        await closed;
        expect(text()).toMatch(/part 1\n\r\n$/); // without the empty chunk that ends a complete file
        const lines = logged.map((line) => JSON.parse(line) as object);
        expect(lines).toContainEqual(expect.objectContaining({ level, msg, request_id: `of-${name}` }));
        expect(logged.join()).not.toContain('secret');
      },
    );

    it('are closed when a response is read byte by byte', async () => {
      const accepted = once(server.server, 'connection') as Promise<[Socket]>;
      const socket = connect(port, '127.0.0.1').on('readable', () => undefined);
      socket.on('error', () => undefined).write(pipelined(1, '/large'));
      const [peer] = await accepted;
      const drip = setInterval(() => socket.read(1), 20);
      try {
        expect(await until(() => peer.destroyed)).toBe(true);
      } finally {
        clearInterval(drip);
        socket.destroy();
      }
    });

    const POST = 'POST /quick HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

    it.each([
      ['headers arrive', 'GET /quick/1 HTTP/1.1\r\nHost: x\r\nX: ', 'x'],
      ['a body arrives', `${POST}Content-Length: 90000\r\n\r\n`, 'x'],
      ['chunks arrive', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'],
      ['nothing arrives', '', ''],
    ])('are closed when %s byte by byte', async (_, head, bytes) => {
      const { socket, text, closed } = open();
      socket.write(head);
      const drip = setInterval(() => socket.writable && socket.write(bytes), 50);
      await closed;
      clearInterval(drip);
      expect(text()).toMatch(/^HTTP\/1.1 400 .*"error":"invalid_request"/s);
    });
  });

  describe('that end', () => {
    beforeEach(async () => {
      logged.length = 0;
      await start();
    });

    const lines = (): unknown[] =>
      logged.map((line) => {
        const { route, status, aborted } = JSON.parse(line) as Record<string, unknown>;
        return [route, status, ...(aborted === undefined ? [] : [{ aborted }])];
      });

    it('leave one line for each request whose response was sent', async () => {
      const { socket, text } = open();
      socket.write(requests(3) + pipelined(1, '/nowhere') + pipelined(1, '/file'));
      expect(await until(() => text().endsWith('0\r\n\r\n'))).toBe(true);
      socket.destroy();
      await delay(300);
      expect(lines()).toEqual([
        ...Array.from({ length: 3 }, () => ['/quick/:id', 200]),
        ['(none)', 404],
        ['/file', 200],
      ]);
    });

    it('leave one line for the request that is being processed, when it is', async () => {
      const { socket } = open();
      socket.write(pipelined(1, '/held'));
      await once(server.server, 'request');
      socket.destroy();
      await delay(100);
      expect(lines()).toEqual([]);
      release();
      expect(await until(() => logged.length > 0)).toBe(true);
      await delay(100);
      expect(lines()).toEqual([['/held', 200, { aborted: true }]]);
    });

    it('leave one line for a file of which the client takes a part', async () => {
      const { socket, text } = open();
      socket.write(pipelined(1, '/file'));
      expect(await until(() => text().includes('part 1'))).toBe(true);
      socket.destroy();
      expect(await until(() => logged.length > 0)).toBe(true);
      await delay(2 * LIMITS.sendTimeoutMs);
      expect(lines()).toEqual([['/file', 200, { aborted: true }]]);
    });

    it('leave one line for a response that the client does not take in time', async () => {
      const { socket } = open();
      socket.pause().write(pipelined(1, '/large'));
      expect(await until(() => logged.length > 0)).toBe(true);
      await delay(100);
      expect(lines()).toEqual([['/large', 200, { aborted: true }]]);
      socket.destroy();
    });
  });

  describe('beyond MAX_CONNECTIONS', () => {
    // Those that are open stay so, also on a slow machine.
    const patient = { ...LIMITS, requestTimeoutMs: 30_000 };

    /** Whether a new connection is served. */
    async function isServed(address?: string): Promise<boolean> {
      const { socket, text, closed } = open(address);
      socket.write(pipelined(1, '/quick/1'));
      const outcome = await Promise.race([closed.then(() => false), until(() => text().includes('200 OK'))]);
      return outcome;
    }

    it('are closed at once, until others end', async () => {
      await start({ maxConnections: 3 }, patient);
      const first = open();
      for (let index = 0; index < 2; index += 1) expect(await isServed()).toBe(true);
      await until(() => !first.socket.connecting);
      expect(await isServed()).toBe(false);
      expect(await isServed()).toBe(false);
      first.socket.destroy();
      expect(await until(() => isServed())).toBe(true);
      expect(logged.filter((line) => line.includes('MAX_CONNECTIONS'))).toHaveLength(1);
    });

    it('of one network leave others their share', async () => {
      await start({ maxConnections: 100, maxConnectionsPerNetwork: 2, listenAddress: '0.0.0.0' }, patient);
      for (let index = 0; index < 2; index += 1) expect(await isServed()).toBe(true);
      expect(await isServed()).toBe(false);
    });
  });

  it('to each address of localhost are served', async () => {
    await start({ listenAddress: 'localhost' });
    for (const { address, family } of await lookup('localhost', { all: true })) {
      const host = family === 6 ? `[${address}]` : address;
      const isServed = (): Promise<boolean> =>
        fetch(`http://${host}:${port}/quick/1`).then(
          ({ ok }) => ok,
          () => false,
        );
      expect(await until(isServed)).toBe(true);
    }
  });
});
