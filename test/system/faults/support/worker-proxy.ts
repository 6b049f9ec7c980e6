import { once } from 'node:events';
import { AddressInfo, connect, createServer, Server, Socket } from 'node:net';
import { Node } from '../../../support/citus';
import { Messages } from './commit-proxy';

/**
 * Where a coordinator waits for a worker at the end of a transaction: the worker has not yet committed or prepared its
 * part; it has, and the coordinator has not; or the coordinator has committed, and the worker has only prepared.
 */
export type Moment =
  'the worker lacks its part' | 'the worker has its part' | 'the coordinator has committed';

/** A proxy between the coordinator and a worker, which can hold a message back at a moment of a commit. */
export class WorkerProxy {
  private moment: Moment | null = null;
  private sendKept: () => void = () => undefined;
  private held: () => void = () => undefined;
  private readonly sockets = new Set<Socket>();
  private state: 'connected' | 'cut' | 'silent' = 'connected';

  private constructor(
    private readonly server: Server,
    private readonly worker: Node,
  ) {}

  static async before(worker: Node): Promise<WorkerProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new WorkerProxy(server, worker);
    server.on('connection', (socket) => proxy.forward(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get address(): Node {
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port };
  }

  /** Holds at the next such moment. @returns when the coordinator waits */
  holdAt(moment: Moment): Promise<void> {
    this.moment = moment;
    return new Promise((resolve) => (this.held = resolve));
  }

  forget(): void {
    this.moment = null;
  }

  /** Forwards what it holds back. */
  release(): void {
    this.forget();
    this.sendKept();
  }

  /** Cuts all connections, and those to come: the worker is lost for the coordinator. */
  cut(): void {
    this.state = 'cut';
    for (const socket of this.sockets) socket.destroy();
  }

  /** Forwards nothing more, and keeps the connections: the coordinator waits for a worker that does not respond. */
  silence(): void {
    this.state = 'silent';
    for (const socket of this.sockets) socket.pause();
  }

  /** Forwards the messages of new connections. */
  reconnect(): void {
    this.cut();
    this.state = 'connected';
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(coordinator: Socket): void {
    if (this.state === 'cut') return void coordinator.destroy();
    if (this.state === 'silent') {
      this.sockets.add(coordinator.pause());
      return;
    }
    const worker = connect({ ...this.worker, noDelay: true });
    let kept: (() => void)[] | null = null;
    const pass = (moment: Moment, reached: boolean, send: () => void): void => {
      if (reached && this.moment === moment) {
        this.moment = null;
        kept = [];
        this.sendKept = () => {
          for (const sendOne of kept ?? []) sendOne();
          kept = null;
        };
        this.held();
      }
      if (kept === null) send();
      else kept.push(send);
    };
    const toWorker = new Messages(true, (message) => {
      const text = message[0] === 'Q'.charCodeAt(0) ? message.toString('latin1', 5) : '';
      const moment = text.startsWith('COMMIT PREPARED')
        ? 'the coordinator has committed'
        : 'the worker lacks its part';
      pass(moment, /^(COMMIT|PREPARE TRANSACTION)\b/.test(text), () => worker.write(message));
    });
    const toCoordinator = new Messages(false, (message) => {
      const text = message[0] === 'C'.charCodeAt(0) ? message.toString('latin1', 5) : '';
      const isDone = text === 'COMMIT\0' || text === 'PREPARE TRANSACTION\0';
      pass('the worker has its part', isDone, () => coordinator.write(message));
    });
    for (const [socket, other, messages] of [
      [coordinator, worker, toWorker],
      [worker, coordinator, toCoordinator],
    ] as const) {
      this.sockets.add(socket);
      socket.on('data', (bytes) => messages.add(bytes));
      socket.on('error', () => other.destroy());
      socket.on('close', () => (other.destroy(), this.sockets.delete(socket)));
    }
  }
}
