import { DomainError, type ErrorCode } from './domain-error';

interface Transition<State extends string> {
  readonly from: readonly State[];
  readonly to: State;
  /** The error code when the resource is in another state; `conflict` by default. */
  readonly error?: ErrorCode;
  /** A sentence of the error message that says what to do instead. */
  readonly advice?: string;
}

/** The states of a resource and the transitions between them. Every status change goes through `transition`. */
export class Lifecycle<State extends string, Initial extends State, Name extends string> {
  constructor(
    readonly states: readonly State[],
    readonly initial: readonly Initial[],
    readonly transitions: Readonly<Record<Name, Transition<State>>>,
  ) {
    this.assertConsistent();
  }

  /**
   * Returns the target state of a transition.
   * @throws DomainError with the transition's error code when `state` is not one of its source states
   */
  transition(name: Name, state: State): State {
    const { from, to, error, advice } = this.transitions[name];
    if (!from.includes(state)) {
      const reason = `This operation requires the status ${from.join(' or ')}; the current status is ${state}.`;
      throw new DomainError(error ?? 'conflict', advice === undefined ? reason : `${reason} ${advice}`);
    }
    return to;
  }

  /** The condition of a CHECK constraint that rejects any other state. */
  sqlCheck(column: string): string {
    return `${column} IN (${this.states.map((state) => `'${state}'`).join(', ')})`;
  }

  private assertConsistent(): void {
    const transitions = Object.values<Transition<State>>(this.transitions);
    const mentioned = [...this.initial, ...transitions.flatMap(({ from, to }) => [...from, to])];
    const unknown = mentioned.find((state) => !this.states.includes(state));
    if (unknown !== undefined) throw new Error(`A lifecycle refers to the unknown state "${unknown}".`);
    // Iteration over a Set includes elements added during the loop, so this visits every reachable state.
    const reached = new Set<State>(this.initial);
    for (const state of reached) {
      for (const { from, to } of transitions) if (from.includes(state)) reached.add(to);
    }
    const unreached = this.states.find((state) => !reached.has(state));
    if (unreached !== undefined) throw new Error(`The state "${unreached}" of a lifecycle is unreachable.`);
  }
}

/** Declares a lifecycle. @throws Error for an inconsistent table, when the module is loaded */
export function lifecycle<const State extends string, const Initial extends State, Name extends string>({
  states,
  initial,
  transitions,
}: Pick<Lifecycle<State, Initial, Name>, 'states' | 'initial' | 'transitions'>): Lifecycle<
  State,
  Initial,
  Name
> {
  return new Lifecycle(states, initial, transitions);
}

/** The union type of a lifecycle's states. */
export type StateOf<L extends { readonly states: readonly string[] }> = L['states'][number];
