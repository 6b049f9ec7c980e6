import { once } from 'node:events';
import { AddressInfo, connect, createServer, Server, Socket } from 'node:net';
import { Client } from 'pg';

/**
 * When the connection is cut: before the COMMIT is forwarded, right after it is forwarded, or after the server has
 * committed and before its response is forwarded.
 */
export type Cut = 'before the commit' | 'with the commit' | 'before the response';

/** A proxy between the service and PostgreSQL that forwards all messages and can cut the connection at a COMMIT. */
export class CommitProxy {
  private cut: Cut | null = null;
  private readonly sockets = new Set<Socket>();
  /** The number of connections cut. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: Client,
  ) {}

  static async before(databaseUrl: string): Promise<CommitProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new CommitProxy(server, new Client({ connectionString: databaseUrl }));
    server.on('connection', (client) => proxy.wait(client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** Returns the URL of the database through the proxy. */
  get url(): string {
    const { user = '', password, database = '' } = this.target;
    const { port } = this.server.address() as AddressInfo;
    const credentials = [user, ...(password ? [password] : [])].map(encodeURIComponent).join(':');
    return `postgresql://${credentials}@127.0.0.1:${port}/${database}`;
  }

  cutNextCommit(how: Cut): void {
    this.cut = how;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private wait(client: Socket): void {
    const { host, port } = this.target;
    const server = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect({ host, port, noDelay: true });
    const sever = (): void => {
      this.cuts += 1;
      client.destroy();
      server.destroy();
    };
    let waitsForResponse = false;
    const fromClient = new Messages(true, (message) => {
      const cut = isCommit(message) ? this.cut : null;
      if (cut === null) return void server.write(message);
      this.cut = null;
      if (cut === 'before the commit') return sever();
      if (cut === 'before the response') waitsForResponse = true;
      server.write(message, () => cut === 'with the commit' && sever());
    });
    const fromServer = new Messages(false, (message) => {
      if (waitsForResponse && isCommitted(message)) return sever();
      client.write(message);
    });
    for (const [socket, other, messages] of [
      [client, server, fromClient],
      [server, client, fromServer],
    ] as const) {
      this.sockets.add(socket);
      socket.on('data', (bytes) => messages.add(bytes));
      socket.on('error', () => other.destroy());
      socket.on('close', () => (other.destroy(), this.sockets.delete(socket)));
    }
  }
}

/** Splits a stream into messages of the PostgreSQL protocol: a type, a length that includes itself, and a payload. */
export class Messages {
  private rest = Buffer.alloc(0);

  constructor(
    /** The first message of a client has no type. */
    private isFirstOfClient: boolean,
    private readonly deliver: (message: Buffer) => void,
  ) {}

  add(bytes: Buffer): void {
    this.rest = Buffer.concat([this.rest, bytes]);
    for (let size = this.size(); size !== null && this.rest.length >= size; size = this.size()) {
      const message = this.rest.subarray(0, size);
      this.rest = this.rest.subarray(size);
      this.isFirstOfClient = false;
      this.deliver(message);
    }
  }

  private size(): number | null {
    const typeSize = this.isFirstOfClient ? 0 : 1;
    return this.rest.length < typeSize + 4 ? null : typeSize + this.rest.readInt32BE(typeSize);
  }
}

/** A Query or Parse message. */
function isCommit(message: Buffer): boolean {
  return ['Q', 'P'].includes(String.fromCharCode(message[0]!)) && message.includes('COMMIT\0');
}

/** A CommandComplete message with the tag COMMIT. */
function isCommitted(message: Buffer): boolean {
  return message[0] === 'C'.charCodeAt(0) && message.includes('COMMIT\0');
}
