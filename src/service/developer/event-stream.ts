import { SECOND_MS } from '../../kernel/clock';
import type { Api } from './api';
import type { Failure } from './failure';
import { NoResponse, ResponseError } from './failure';
import type { Pause } from './interruption';

/** An event, as far as the commands look at it. */
export interface ServiceEvent {
  readonly id: string;
  readonly type: string;
  readonly object_id: string;
  readonly created_at: string;
}

interface EventPage {
  readonly data: readonly ServiceEvent[];
  readonly has_more: boolean;
}

interface StreamOptions {
  /** All types by default. */
  readonly types?: readonly string[] | undefined;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Gets a line when the stream is interrupted, and when it goes on. */
  readonly notice: (line: string) => void;
  readonly pause: Pause;
}

const POLL_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;

/** Events of different accounts, which a platform key sees, may appear this much later than events with higher ids. */
const OVERLAP_MS = 10 * SECOND_MS;

/** The events from now on, each once. */
export class EventStream {
  /** All events up to this one have been returned, and so will none before it. */
  private cursor: string | null = null;
  /** When the events after the cursor were seen first. */
  private readonly seen = new Map<string, number>();
  private readonly api: Api;
  private failures = 0;

  constructor(
    api: Api,
    private readonly options: StreamOptions,
  ) {
    this.api = api.until(options.signal);
  }

  /** Notes where the stream begins. @throws Failure when the events cannot be read */
  async begin(): Promise<void> {
    const { data } = await this.page({ limit: '1' });
    this.cursor = data[0]?.id ?? null;
  }

  /** @throws Failure for a response that a repeat would not change */
  async *events(): AsyncGenerator<ServiceEvent, void, undefined> {
    const { signal, pause } = this.options;
    while (!signal.aborted) {
      let waitMs = POLL_MS;
      try {
        yield* this.unseen();
      } catch (error) {
        if (signal.aborted) return;
        waitMs = this.recover(error);
      }
      await pause(waitMs, signal);
    }
  }

  /** Reads from the cursor to the newest event. */
  private async *unseen(): AsyncGenerator<ServiceEvent, void, undefined> {
    const read: string[] = [];
    let isLast = false;
    while (!isLast) {
      const after = read.at(-1) ?? this.cursor;
      const { data, has_more } = await this.page({
        order: 'asc',
        ...(after !== null && { starting_after: after }),
      });
      this.goOn();
      for (const event of data) {
        read.push(event.id);
        if (this.seen.has(event.id)) continue;
        this.seen.set(event.id, performance.now());
        yield event;
      }
      isLast = !has_more || data.length === 0;
    }
    this.advance(read);
  }

  /** Moves the cursor behind the events that no other can precede any more. */
  private advance(read: readonly string[]): void {
    const until = performance.now() - OVERLAP_MS;
    for (const id of read) {
      if (this.seen.get(id)! > until) return;
      this.seen.delete(id);
      this.cursor = id;
    }
  }

  private page(query: Readonly<Record<string, string>>): Promise<EventPage> {
    const { types } = this.options;
    const parameters = new URLSearchParams({ ...query, ...(types && { type: types.join(',') }) });
    return this.api.get(`/v1/events?${parameters.toString()}`);
  }

  /** @returns how long to wait before the next attempt @throws the error when another attempt would fail too */
  private recover(error: unknown): number {
    if (error instanceof ResponseError && error.code === 'cursor_expired' && this.cursor !== null) {
      this.options.notice('Events that were not read yet have been deleted. Going on with the oldest event.');
      this.cursor = null;
      return 0;
    }
    if (!isTemporary(error)) throw error;
    if (this.failures === 0) this.options.notice(`${error.message} Trying again.`);
    const backoffMs = Math.min(POLL_MS * 2 ** this.failures, LONGEST_PAUSE_MS);
    this.failures += 1;
    return error instanceof ResponseError ? Math.max(backoffMs, error.retryAfterMs) : backoffMs;
  }

  private goOn(): void {
    if (this.failures > 0) this.options.notice('The service responds again.');
    this.failures = 0;
  }
}

function isTemporary(error: unknown): error is Failure {
  return (
    error instanceof NoResponse ||
    (error instanceof ResponseError && (error.status === 429 || error.status >= 500))
  );
}
