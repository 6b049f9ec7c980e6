import { once } from 'node:events';
import { AddressInfo, createServer, Server, Socket } from 'node:net';

/** Sends a part of a text again and again, so that a limit of silence never ends the call. */
const TRICKLE_MS = 20;

const trickle =
  (start: string, part: string) =>
  (socket: Socket): void => {
    socket.write(start);
    const timer = setInterval(() => socket.write(part), TRICKLE_MS);
    socket.once('close', () => clearInterval(timer));
  };

/** Sends as much as the other side takes. */
const flood =
  (start: string, part: string) =>
  (socket: Socket): void => {
    socket.write(start);
    const write = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', write);
    write();
  };

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const CHUNK = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

/** What the other side of an HTTP call may do. The first bytes of a request trigger it. */
export const HOSTILE_HTTP: Readonly<Record<string, (socket: Socket) => void>> = {
  'never responds': () => undefined,
  'switches protocols': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  'sends its status byte by byte': trickle('HTTP/1.1 200 O', 'K'),
  'sends a header byte by byte': trickle(`${OK}X-Slow: `, 'x'),
  'sends early hints without end': trickle('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  'floods with headers': flood(OK, 'X-Many: 1\r\n'.repeat(1000)),
  'sends its body byte by byte': trickle(`${OK}Content-Length: 1000000\r\n\r\n`, ' '),
  'never ends its body': (socket) => socket.write(`${OK}Content-Length: 10\r\n\r\n{`),
  'floods with a body': flood(`${OK}Transfer-Encoding: chunked\r\n\r\n`, CHUNK),
  'ends in the middle of its body': (socket) => socket.end(`${OK}Content-Length: 10\r\n\r\n{`),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'redirects to itself': (socket) =>
    socket.end('HTTP/1.1 307 Moved\r\nLocation: /again\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  'speaks another protocol': (socket) => socket.write('220 mail.example ESMTP\r\n'),
};

/** What a mail server may do as soon as somebody connects. */
export const HOSTILE_SMTP: Readonly<Record<string, (socket: Socket) => void>> = {
  'is silent': () => undefined,
  'sends its greeting byte by byte': trickle('22', '0'),
  'never ends its greeting': trickle('', '220-Welcome\r\n'),
  'floods with its greeting': flood('', '220-Welcome\r\n'.repeat(1000)),
  'floods with a line': flood('220 ', 'x'.repeat(0x10000)),
  'never answers a command': (socket) => socket.write('220 mail.example ESMTP\r\n'),
  'answers a command byte by byte': (socket) => {
    socket.write('220 mail.example ESMTP\r\n');
    socket.once('data', () => trickle('250-mail.example\r\n250-', 'X')(socket));
  },
  'accepts commands without end': (socket) => {
    socket.write('220 mail.example ESMTP\r\n');
    socket.once('data', () => trickle('', '250-X\r\n')(socket));
  },
  'is silent when TLS begins': (socket) => {
    socket.write('220 mail.example ESMTP\r\n');
    socket.on('data', (data) => {
      if (data.includes('EHLO')) socket.write('250-mail.example\r\n250 STARTTLS\r\n');
      if (data.includes('STARTTLS')) socket.write('220 Go ahead\r\n');
    });
  },
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes the connection': (socket) => socket.end(),
  'speaks another protocol': (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
};

/** The record header of a long handshake message, byte by byte. */
const TLS_TRICKLE = trickle('\x16\x03\x03\x3f\xff', '\x02');

/** What the other side of a TLS handshake may do. */
export const HOSTILE_TLS: Readonly<Record<string, (socket: Socket) => void>> = {
  'is silent in the handshake': () => undefined,
  'sends its handshake byte by byte': TLS_TRICKLE,
};

/** A server that does to every connection what a test says. */
export class HostileServer {
  /** How many connections there have been. */
  accepted = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(behave: (socket: Socket) => void, when: 'connect' | 'data') {
    this.server = createServer({ allowHalfOpen: true }, (socket) => {
      this.accepted += 1;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('end', () => socket.destroy());
      socket.on('close', () => this.sockets.delete(socket));
      socket.resume();
      if (when === 'connect') behave(socket);
      else socket.once('data', () => behave(socket));
    });
  }

  static async start(
    behave: (socket: Socket) => void,
    when: 'connect' | 'data' = 'data',
  ): Promise<HostileServer> {
    const double = new HostileServer(behave, when);
    double.server.listen(0, '127.0.0.1');
    await once(double.server, 'listening');
    return double;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many connections the other side has not ended. */
  get open(): number {
    return this.sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
