/** One request of a keyed create and what came back. */
export interface Attempt {
  readonly key: string;
  /** The status of a whole answer; null when none came. */
  readonly status: number | null;
  readonly text: string;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
}

/** What the client knows of its request: 503 and silence leave open whether it happened. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** What is stored of a create: its key went along as the reference. */
export interface Row {
  readonly id: string;
  readonly reference: string;
}

export function outcomeOf({ status }: Pick<Attempt, 'status'>): Outcome {
  if (status === 201) return 'acknowledged';
  return status !== null && status >= 400 && status < 500 ? 'refused' : 'unknown';
}

/** How what clients were told compares with what is stored. */
export class History {
  private readonly attemptsOf = new Map<string, Attempt[]>();

  readonly add = (attempt: Attempt): void => {
    const { key } = attempt;
    this.attemptsOf.set(key, [...(this.attemptsOf.get(key) ?? []), attempt]);
  };

  get attempts(): Attempt[] {
    return [...this.attemptsOf.values()].flat();
  }

  /** Counts what must be zero: what was promised and is not there, what is there twice or was never asked for. */
  judge(rows: readonly Row[]) {
    const rowsOf = new Map<string, Row[]>();
    for (const row of rows) rowsOf.set(row.reference, [...(rowsOf.get(row.reference) ?? []), row]);
    const creates = [...this.attemptsOf].map(([key, attempts]) => ({
      attempts,
      stored: rowsOf.get(key) ?? [],
      answers: attempts.filter((attempt) => outcomeOf(attempt) === 'acknowledged').map(({ text }) => text),
    }));
    const count = (what: (create: (typeof creates)[number]) => boolean): number =>
      creates.filter(what).length;
    return {
      creates: creates.length,
      rows: rows.length,
      lost: count(({ answers, stored }) =>
        answers.some((text) => !stored.some(({ id }) => id === idOf(text))),
      ),
      duplicate: rows.length - rowsOf.size,
      phantom: rows.filter(({ reference }) => this.isUnasked(reference)).length,
      /** Creates that were answered differently at a repeat. */
      changed: count(({ answers }) => new Set(answers).size > 1),
      /** Creates that happened and were never answered at all. */
      unanswered: count(
        ({ attempts, stored }) => stored.length > 0 && attempts.every(({ status }) => status === null),
      ),
      /** Answers of 5xx other than 503. */
      failed: this.attempts.filter(({ status }) => status !== null && status >= 500 && status !== 503).length,
    };
  }

  /** How many requests ended how. */
  outcomes(): Record<Outcome, number> {
    const counts = { acknowledged: 0, refused: 0, unknown: 0 };
    for (const attempt of this.attempts) counts[outcomeOf(attempt)] += 1;
    return counts;
  }

  private isUnasked(key: string): boolean {
    return (this.attemptsOf.get(key) ?? []).every((attempt) => outcomeOf(attempt) === 'refused');
  }
}

function idOf(text: string): string {
  return (JSON.parse(text) as { id: string }).id;
}

/** The verdict on `creates` of which each happened exactly once. */
export function allOnce(creates: number): ReturnType<History['judge']> {
  return { creates, rows: creates, lost: 0, duplicate: 0, phantom: 0, changed: 0, unanswered: 0, failed: 0 };
}
