import type { Socket } from 'node:net';
import { clientNetwork } from '../../../kernel/client-network';
import { MINUTE_MS } from '../../../kernel/clock';
import type { Log } from '../../telemetry/log';

/** Bounds the open connections, in total and of one client network. Further connections are closed at once. */
export class ConnectionLimit {
  private open = 0;
  private readonly openByNetwork = new Map<string, number>();
  private reportedAtMs = -Infinity;

  constructor(
    private readonly max: number,
    private readonly maxPerNetwork: number,
    private readonly log: Log,
  ) {}

  readonly accept = (socket: Socket): void => {
    const network = clientNetwork(socket.remoteAddress ?? '');
    if (this.open >= this.max || this.openOf(network) >= this.maxPerNetwork) {
      this.report();
      socket.destroy();
      return;
    }
    this.count(network, 1);
    socket.once('close', () => this.count(network, -1));
  };

  private openOf(network: string): number {
    return this.openByNetwork.get(network) ?? 0;
  }

  private count(network: string, change: 1 | -1): void {
    const open = this.openOf(network) + change;
    if (open === 0) this.openByNetwork.delete(network);
    else this.openByNetwork.set(network, open);
    this.open += change;
  }

  /** Logs at most once per minute that connections are closed. */
  private report(): void {
    if (performance.now() - this.reportedAtMs < MINUTE_MS) return;
    this.reportedAtMs = performance.now();
    this.log.notice(
      `Closed a connection because of MAX_CONNECTIONS: ${this.open} are open, at most ${this.maxPerNetwork} of one network.`,
    );
  }
}
