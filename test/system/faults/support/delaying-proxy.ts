import { once } from 'node:events';
import { AddressInfo, connect, createServer, Server, Socket } from 'node:net';
import { Client } from 'pg';

/** A proxy between a service and PostgreSQL that delays what both send, and keeps its order. */
export class DelayingProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: Client,
    private readonly nextDelayMs: () => number,
  ) {}

  static async before(databaseUrl: string, nextDelayMs: () => number): Promise<DelayingProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new DelayingProxy(server, new Client({ connectionString: databaseUrl }), nextDelayMs);
    server.on('connection', (client) => proxy.forward(client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The URL of the database through the proxy. */
  get url(): string {
    const { user = '', password, database = '' } = this.target;
    const { port } = this.server.address() as AddressInfo;
    const credentials = [user, ...(password ? [password] : [])].map(encodeURIComponent).join(':');
    return `postgresql://${credentials}@127.0.0.1:${port}/${database}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    const { host, port } = this.target;
    const server = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect({ host, port, noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      let sent = Promise.resolve();
      from.on('data', (bytes) => {
        const due = new Promise((resolve) => setTimeout(resolve, this.nextDelayMs()));
        sent = sent.then(() => due).then(() => void to.write(bytes));
      });
      from.on('error', () => to.destroy());
      from.on('close', () => (to.destroy(), this.sockets.delete(from)));
    }
  }
}
