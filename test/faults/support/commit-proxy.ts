import { once } from 'node:events';
import { AddressInfo, connect, createServer, Server, Socket } from 'node:net';
import { Client } from 'pg';

/**
 * Where the connection is cut: instead of passing the COMMIT on; once it was passed on; or when the server has
 * committed, instead of passing its answer on.
 */
export type Cut = 'before the commit' | 'with the commit' | 'before the answer';

/**
 * Stands between the service and PostgreSQL and passes everything on, message by message, but for the one COMMIT that
 * it was told to cut.
 */
export class CommitProxy {
  private cut: Cut | null = null;
  private readonly sockets = new Set<Socket>();
  /** How many connections were cut. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: Client,
  ) {}

  static async before(databaseUrl: string): Promise<CommitProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new CommitProxy(server, new Client({ connectionString: databaseUrl }));
    server.on('connection', (client) => proxy.pass(client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The same database, through here. */
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

  private pass(client: Socket): void {
    const { host, port } = this.target;
    const server = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port}`)
      : connect({ host, port, noDelay: true });
    const sever = (): void => {
      this.cuts += 1;
      client.destroy();
      server.destroy();
    };
    let waitsForAnswer = false;
    const fromClient = new Messages(true, (message) => {
      const cut = isCommit(message) ? this.cut : null;
      if (cut === null) return void server.write(message);
      this.cut = null;
      if (cut === 'before the commit') return sever();
      if (cut === 'before the answer') waitsForAnswer = true;
      server.write(message, () => cut === 'with the commit' && sever());
    });
    const fromServer = new Messages(false, (message) => {
      if (waitsForAnswer && isCommitted(message)) return sever();
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

/** Cuts a stream into the messages of PostgreSQL's protocol: a type, a length that counts itself, the rest. */
class Messages {
  private rest = Buffer.alloc(0);

  constructor(
    /** A client's first message has no type. */
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

/** A simple query, or the parsing of an extended one. */
function isCommit(message: Buffer): boolean {
  return ['Q', 'P'].includes(String.fromCharCode(message[0]!)) && message.includes('COMMIT\0');
}

/** CommandComplete with the tag of a commit. */
function isCommitted(message: Buffer): boolean {
  return message[0] === 'C'.charCodeAt(0) && message.includes('COMMIT\0');
}
