import { Clock, SECOND_MS } from '../../kernel/clock';
import { Log } from '../telemetry/log';

interface Sweep {
  readonly name: string;
  /** Does what is due by `now`, a bounded piece at a time. @returns whether more may be due */
  run(now: Date): Promise<boolean>;
}

const PAUSE_MS = SECOND_MS;

/**
 * Timed work. What is due stands in the rows themselves: a sweep looks for it every second and at start, and whoever
 * finds it locks and checks again before it acts. So any number of processes may sweep, and none needs a queue.
 */
export class Sweeps {
  private readonly sweeps: Sweep[] = [];
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  join(sweep: Sweep): void {
    this.sweeps.push(sweep);
  }

  /** Sweeps now, and then again and again until it is stopped. */
  start(): void {
    void this.sweepAll().then(() => {
      if (!this.stopped) this.timer = setTimeout(() => this.start(), PAUSE_MS);
    });
  }

  /** Lets the sweep that is under way finish its piece, and starts none. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** Does everything that is due. A sweep that fails is logged; the next round tries again. */
  sweepAll(): Promise<void> {
    this.round = this.sweepEach();
    return this.round;
  }

  private async sweepEach(): Promise<void> {
    for (const sweep of this.sweeps) {
      try {
        while (!this.stopped && (await sweep.run(this.clock.now())));
      } catch (error) {
        this.log.failure(`The sweep of ${sweep.name} failed`, error);
      }
    }
  }
}
