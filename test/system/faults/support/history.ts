/** One request of a creation with an Idempotency-Key, and its response. */
export interface Attempt {
  readonly key: string;
  /** The status of a complete response, or null. */
  readonly status: number | null;
  readonly text: string;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
}

/** The client's view of a request. After a 503 or without a response, the result is unknown. */
export type Outcome = 'acknowledged' | 'rejected' | 'unknown';

/** A stored creation. Its key was sent as the reference. */
export interface Row {
  readonly id: string;
  readonly reference: string;
}

export function outcomeOf({ status }: Pick<Attempt, 'status'>): Outcome {
  if (status === 201) return 'acknowledged';
  return status !== null && status >= 400 && status < 500 ? 'rejected' : 'unknown';
}

/** Compares the responses to the clients with the stored rows. */
export class History {
  private readonly attemptsOf = new Map<string, Attempt[]>();

  readonly add = (attempt: Attempt): void => {
    const { key } = attempt;
    this.attemptsOf.set(key, [...(this.attemptsOf.get(key) ?? []), attempt]);
  };

  get attempts(): Attempt[] {
    return [...this.attemptsOf.values()].flat();
  }

  /** Counts the defects: lost, duplicate and phantom rows, changed responses and failures. All must be zero. */
  judge(rows: readonly Row[]) {
    const rowsOf = new Map<string, Row[]>();
    for (const row of rows) rowsOf.set(row.reference, [...(rowsOf.get(row.reference) ?? []), row]);
    const creates = [...this.attemptsOf].map(([key, attempts]) => ({
      attempts,
      stored: rowsOf.get(key) ?? [],
      responses: attempts.filter((attempt) => outcomeOf(attempt) === 'acknowledged').map(({ text }) => text),
    }));
    const count = (what: (create: (typeof creates)[number]) => boolean): number =>
      creates.filter(what).length;
    return {
      creates: creates.length,
      rows: rows.length,
      lost: count(({ responses, stored }) =>
        responses.some((text) => !stored.some(({ id }) => id === idOf(text))),
      ),
      duplicate: rows.length - rowsOf.size,
      phantom: rows.filter(({ reference }) => this.isPhantom(reference)).length,
      /** Creations whose repeat returned a different response. */
      changed: count(({ responses }) => new Set(responses).size > 1),
      /** Stored creations without any response. */
      withoutResponse: count(
        ({ attempts, stored }) => stored.length > 0 && attempts.every(({ status }) => status === null),
      ),
      /** Responses of 5xx other than 503. */
      failed: this.attempts.filter(({ status }) => status !== null && status >= 500 && status !== 503).length,
    };
  }

  /** Counts the requests by outcome. */
  outcomes(): Record<Outcome, number> {
    const counts = { acknowledged: 0, rejected: 0, unknown: 0 };
    for (const attempt of this.attempts) counts[outcomeOf(attempt)] += 1;
    return counts;
  }

  private isPhantom(key: string): boolean {
    return (this.attemptsOf.get(key) ?? []).every((attempt) => outcomeOf(attempt) === 'rejected');
  }
}

function idOf(text: string): string {
  return (JSON.parse(text) as { id: string }).id;
}

/** The expected result when each creation is stored exactly once. */
export function allOnce(creates: number): ReturnType<History['judge']> {
  return {
    creates,
    rows: creates,
    lost: 0,
    duplicate: 0,
    phantom: 0,
    changed: 0,
    withoutResponse: 0,
    failed: 0,
  };
}
