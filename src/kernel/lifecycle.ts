import { Refusal, RefusalCode } from './refusal';

interface Move<State extends string> {
  readonly from: readonly State[];
  readonly to: State;
  /** The code answered when the move is not possible. `conflict` when not given. */
  readonly refusal?: RefusalCode;
}

interface LifecycleTable<State extends string, Birth extends State, Name extends string> {
  readonly states: readonly State[];
  readonly births: readonly Birth[];
  readonly moves: Readonly<Record<Name, Move<State>>>;
}

/** The states of a resource and every way between them. A status changes through here and nowhere else. */
export class Lifecycle<State extends string, Birth extends State, Name extends string> {
  readonly states: readonly State[];
  readonly births: readonly Birth[];
  readonly moves: Readonly<Record<Name, Move<State>>>;

  constructor(table: LifecycleTable<State, Birth, Name>) {
    this.states = table.states;
    this.births = table.births;
    this.moves = table.moves;
    this.assertSound();
  }

  /**
   * The state that `name` leads to.
   * @throws Refusal with the code of the move when it does not start at `state`.
   */
  move(name: Name, state: State): State {
    const { from, to, refusal } = this.moves[name];
    if (!from.includes(state)) {
      throw new Refusal(refusal ?? 'conflict', `This needs the status ${from.join(' or ')}; it is ${state}.`);
    }
    return to;
  }

  /** The condition for SQL, so that the database refuses what this table does not know. */
  sqlCheck(column: string): string {
    return `${column} IN (${this.states.map((state) => `'${state}'`).join(', ')})`;
  }

  private assertSound(): void {
    const moves = Object.values<Move<State>>(this.moves);
    const named = [...this.births, ...moves.flatMap((move) => [...move.from, move.to])];
    const unknown = named.find((state) => !this.states.includes(state));
    if (unknown !== undefined) throw new Error(`A lifecycle names the unknown state "${unknown}".`);
    // A set that grows while it is walked: the births, what they lead to, what that leads to, and so on.
    const reached = new Set<State>(this.births);
    for (const state of reached) {
      for (const { from, to } of moves) if (from.includes(state)) reached.add(to);
    }
    const unreached = this.states.find((state) => !reached.has(state));
    if (unreached !== undefined) throw new Error(`Nothing leads to the state "${unreached}" of a lifecycle.`);
  }
}

/** Declares a lifecycle. Checked when the module is loaded, so that a wrong table stops the start. */
export function lifecycle<const State extends string, const Birth extends State, Name extends string>(
  table: LifecycleTable<State, Birth, Name>,
): Lifecycle<State, Birth, Name> {
  return new Lifecycle(table);
}

/** The union of a lifecycle's states, for types. */
export type StateOf<L extends { readonly states: readonly string[] }> = L['states'][number];
