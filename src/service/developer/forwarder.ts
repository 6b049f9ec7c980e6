import type { Webhook } from 'standardwebhooks';
import { SECOND_MS, SystemClock } from '../../kernel/clock';
import type { Output } from '../terminal';
import { describeLoss, isSuccess } from './api';
import type { ServiceEvent } from './item-stream';
import { eventLine } from './tail';
import type { Pause } from './interruption';

/** Like an endpoint, the receiver has this time. */
const TIMEOUT_MS = 15 * SECOND_MS;
const ATTEMPTS = 4;

/** Sends events to a receiver, one after the other. */
export class Forwarder {
  constructor(
    private readonly target: string,
    private readonly webhook: Webhook,
    private readonly output: Output,
    private readonly pause: Pause,
  ) {}

  /** Sends an event, up to four times, and prints what becomes of it. */
  async forward(event: ServiceEvent, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify(event);
    for (let attempt = 1; attempt <= ATTEMPTS && !signal.aborted; attempt += 1) {
      const status = await this.send(event.id, body, signal);
      if (signal.aborted) return;
      const isRepeated = !(typeof status === 'number' && isSuccess(status)) && attempt < ATTEMPTS;
      this.report(event, status, attempt, isRepeated);
      if (!isRepeated) return;
      await this.pause(SECOND_MS * 2 ** (attempt - 1), signal);
    }
  }

  /** @returns the status of the response, or why there is none */
  private async send(id: string, body: string, signal: AbortSignal): Promise<number | string> {
    // The time of the attempt, so that a receiver can refuse old ones.
    const now = new SystemClock().now();
    try {
      const response = await fetch(this.target, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'Countinghouse-Webhooks',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / SECOND_MS)),
          'webhook-signature': this.webhook.sign(id, now, body),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      // What the receiver says is not shown to anyone.
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      return describeLoss(error);
    }
  }

  private report(event: ServiceEvent, status: number | string, attempt: number, isRepeated: boolean): void {
    const which = attempt === 1 && !isRepeated ? '' : ` (attempt ${attempt} of ${ATTEMPTS})`;
    this.output.print(`${eventLine(event)} ${status}${which}`);
    const { id, type, object_id, created_at } = event;
    this.output.result({ id, type, object_id, created_at, status, attempt });
  }
}
