import { SECOND_MS } from '../../kernel/clock';
import type { Api } from './api';
import { type Failure, NoResponse, ResponseError } from './failure';
import type { Pause } from './interruption';

/** An event, as far as the commands look at it. */
export interface ServiceEvent {
  readonly id: string;
  readonly type: string;
  readonly object_id: string;
  readonly created_at: string;
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
}

/** A list that grows at its newest end. */
export interface Source<Item> {
  newest(api: Api): Promise<Page<Item>>;
  /** The items after the one with this id, or all of them, the oldest first. */
  after(api: Api, id: string | null): Promise<Page<Item>>;
}

/** The events of an account. @param types all by default */
export function eventsOf(types?: readonly string[]): Source<ServiceEvent> {
  const page = (api: Api, query: Readonly<Record<string, string>>): Promise<Page<ServiceEvent>> => {
    const parameters = new URLSearchParams({ ...query, ...(types && { type: types.join(',') }) });
    return api.get(`/v1/events?${parameters.toString()}`);
  };
  return {
    newest: (api) => page(api, { limit: '1' }),
    after: (api, id) => page(api, { order: 'asc', ...(id !== null && { starting_after: id }) }),
  };
}

/** A request of the account, as far as the commands look at it. */
export interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly created_at: string;
}

/** The requests of an account. */
export const requestLog: Source<LoggedRequest> = {
  newest: (api) => api.get('/v1/requests?limit=1'),
  after: async (api, id) => {
    const cursor = id === null ? '' : `&ending_before=${id}`;
    const { data, has_more } = await api.get<Page<LoggedRequest>>(`/v1/requests?limit=100${cursor}`);
    return { data: data.toReversed(), has_more: id !== null && has_more };
  },
};

interface StreamOptions {
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Gets a line when the stream is interrupted, and when it goes on. */
  readonly notice: (line: string) => void;
  readonly pause: Pause;
}

const POLL_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;

/** Items of different accounts, which a platform key sees, or of different replicas may appear this much later than others with higher ids. */
const OVERLAP_MS = 10 * SECOND_MS;

/** The items of a list from now on, each once. */
export class ItemStream<Item extends { readonly id: string }> {
  /** All items up to this one have been returned, and so will none before it. */
  private cursor: string | null = null;
  /** When the items after the cursor were seen first. */
  private readonly seen = new Map<string, number>();
  private readonly api: Api;
  private failures = 0;

  constructor(
    api: Api,
    private readonly source: Source<Item>,
    private readonly options: StreamOptions,
  ) {
    this.api = api.until(options.signal);
  }

  /** Notes where the stream begins. @throws Failure when the list cannot be read */
  async begin(): Promise<void> {
    const { data } = await this.source.newest(this.api);
    this.cursor = data[0]?.id ?? null;
  }

  /** @throws Failure for a response that a repeat would not change */
  async *items(): AsyncGenerator<Item, void, undefined> {
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

  /** Reads from the cursor to the newest item. */
  private async *unseen(): AsyncGenerator<Item, void, undefined> {
    const read: string[] = [];
    let isLast = false;
    while (!isLast) {
      const after = read.at(-1) ?? this.cursor;
      const { data, has_more } = await this.source.after(this.api, after);
      this.goOn();
      for (const item of data) {
        read.push(item.id);
        if (this.seen.has(item.id)) continue;
        this.seen.set(item.id, performance.now());
        yield item;
      }
      isLast = !has_more || data.length === 0;
    }
    this.advance(read);
  }

  /** Moves the cursor behind the items that no other can precede any more. */
  private advance(read: readonly string[]): void {
    const until = performance.now() - OVERLAP_MS;
    for (const id of read) {
      if (this.seen.get(id)! > until) return;
      this.seen.delete(id);
      this.cursor = id;
    }
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
