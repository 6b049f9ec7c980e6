import { once } from 'node:events';
import { AddressInfo, createServer, Server, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What a hostile receiver does with a connection on which a request has arrived. */
type Behavior = (socket: Socket) => void;

const OK = 'HTTP/1.1 200 OK\r\n';
const bomb = gzipSync(Buffer.alloc(20_000_000));

/** Repeats something until the connection is closed. */
function every(ms: number, socket: Socket, send: () => void): void {
  const timer = setInterval(send, ms);
  socket.once('close', () => clearInterval(timer));
}

/** Writes as fast as the other side reads. */
function pour(socket: Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', more);
  };
  more();
}

/** How a receiver keeps a sender busy, in the order of the paths `/0`, `/1` and so on. */
export const behaviors = {
  'switches protocols': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: none\r\n\r\n'),
  'says 101 and goes on': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'responds after 14 seconds': (socket) => {
    const timer = setTimeout(() => socket.end(`${OK}Content-Length: 0\r\n\r\n`), 14_000);
    socket.once('close', () => clearTimeout(timer));
  },
  'sends a byte of the headers each second': (socket) => {
    socket.write(`${OK}X-Slow: `);
    every(1_000, socket, () => socket.write('x'));
  },
  'sends a byte of the body each second': (socket) => {
    socket.write(`${OK}Content-Length: 1000\r\n\r\n`);
    every(1_000, socket, () => socket.write('x'));
  },
  'sends headers without an end': (socket) => {
    socket.write(OK);
    pour(socket, `X-More: ${'x'.repeat(1_000)}\r\n`);
  },
  'sends responses of 1xx without an end': (socket) =>
    pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)),
  'resets the connection in the middle': (socket) => {
    socket.write(`${OK}Content-Length: 1000\r\n\r\nthe beginn`, () => socket.resetAndDestroy());
  },
  'sends a compressed bomb': (socket) => {
    socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  },
  'redirects to itself': (socket) =>
    socket.write('HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  'never responds': () => undefined,
} satisfies Record<string, Behavior>;

const inOrder: readonly Behavior[] = Object.values(behaviors);

/** A server whose behavior is chosen by the path of each request. */
export class HostileReceiver {
  /** The connections that are open. */
  readonly open = new Set<Socket>();
  requests = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<HostileReceiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new HostileReceiver(server, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => receiver.take(socket));
    return receiver;
  }

  /** The address of one that behaves in this way. */
  urlOf(behavior: keyof typeof behaviors): string {
    return `http://127.0.0.1:${this.port}/${Object.keys(behaviors).indexOf(behavior)}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(socket: Socket): void {
    this.open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.open.delete(socket));
    socket.on('data', (data: Buffer) => {
      const path = /^POST \/(\d+)/.exec(data.toString('latin1'));
      if (path === null) return; // the rest of a request
      this.requests += 1;
      inOrder[Number(path[1])]!(socket);
    });
  }
}
