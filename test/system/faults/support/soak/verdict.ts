import { Counts } from './flood';
import { Sample } from './process-sample';
import { Served } from './steady-load';

/** What was measured while one attack was going on, or none. The sample is from the end of that time. */
export interface Phase extends Served, Sample {
  /** null in a quiet phase. */
  readonly attack: string | null;
  readonly attackResponses: Counts;
}

export interface Bounds {
  /** The memory of the last quarter in relation to the first quarter. */
  readonly memoryGrowth: number;
  /** The p99 under an attack in relation to the quiet phases before and after it. */
  readonly slowdown: number;
  /** A p99 below this is not compared. */
  readonly negligibleMs: number;
  /** The part of the requests under one attack that may get a response of a documented limit. */
  readonly limited: number;
}

/** Connections that clients and the pool keep open without a request. */
const IDLE_SOCKETS = 25;
const IDLE_DATABASE_CONNECTIONS = 10;

/** The part of the run that is not compared, since the code is being compiled and caches are being filled. */
const WARM_UP = 0.1;

/** Compares the phases, which begin and end with a quiet one. @returns what must not have happened */
export function faultsOf(phases: readonly Phase[], bounds: Bounds): string[] {
  return [
    ...memoryFaults(phases, bounds),
    ...connectionFaults(phases),
    ...attacksOf(phases).flatMap((attack) => attackFaults(attack, bounds)),
    ...phases.flatMap(({ attack, failures }) =>
      failures.map((failure) => `A request failed during ${attack ?? 'a quiet phase'}: ${failure}`),
    ),
  ];
}

/** Returns the memory of the first and the last quarter after the warm-up, in MB. */
export function memoryOf(phases: readonly Phase[]): { first: number; last: number } {
  const compared = phases.slice(Math.ceil(phases.length * WARM_UP)).map(({ residentMb }) => residentMb);
  const quarter = Math.max(1, Math.floor(compared.length / 4));
  return { first: median(compared.slice(0, quarter)), last: median(compared.slice(-quarter)) };
}

function memoryFaults(phases: readonly Phase[], { memoryGrowth }: Bounds): string[] {
  const { first, last } = memoryOf(phases);
  return last > first * memoryGrowth ? [`The memory grew from ${first} MB to ${last} MB.`] : [];
}

/** Connections of attackers and of the pool that are still in use after the quiet phases. */
function connectionFaults(phases: readonly Phase[]): string[] {
  const [first, ...later] = phases.filter(({ attack }) => attack === null);
  return later.flatMap(({ sockets, databaseConnections, idleTransactions }) => [
    ...(sockets > first!.sockets + IDLE_SOCKETS
      ? [`${sockets} sockets are open after a quiet phase, ${first!.sockets} were after the first one.`]
      : []),
    ...(databaseConnections > first!.databaseConnections + IDLE_DATABASE_CONNECTIONS
      ? [`${databaseConnections} connections to the database are open after a quiet phase.`]
      : []),
    ...(idleTransactions > 0 ? [`${idleTransactions} database transactions were left open.`] : []),
  ]);
}

/** All phases of one attack, in comparison with the quiet phases before and after each. */
export interface AttackSummary {
  readonly attack: string;
  readonly requests: number;
  readonly limited: number;
  /** Medians over the phases. */
  readonly quietP99Ms: number;
  readonly p99Ms: number;
  readonly slowdown: number;
  readonly longestLoginMs: number;
  readonly residentMb: number;
  readonly responses: Counts;
}

/** Summarizes the phases by attack, in the order of their first phases. */
export function attacksOf(phases: readonly Phase[]): AttackSummary[] {
  const names = new Set(phases.flatMap(({ attack }) => attack ?? []));
  return [...names].map((attack) => {
    const times = phases.flatMap((phase, index) =>
      phase.attack === attack
        ? [{ phase, quietP99Ms: mean(phases[index - 1]!.p99Ms, phases[index + 1]!.p99Ms) }]
        : [],
    );
    const sum = (count: (phase: Phase) => number): number =>
      times.reduce((total, { phase }) => total + count(phase), 0);
    const statuses = new Set(times.flatMap(({ phase }) => Object.keys(phase.attackResponses)));
    return {
      attack,
      requests: sum(({ requests }) => requests),
      limited: sum(({ limited }) => limited),
      quietP99Ms: median(times.map(({ quietP99Ms }) => quietP99Ms)),
      p99Ms: median(times.map(({ phase }) => phase.p99Ms)),
      slowdown: median(times.map(({ phase, quietP99Ms }) => phase.p99Ms / Math.max(1, quietP99Ms))),
      longestLoginMs: Math.max(...times.map(({ phase }) => phase.longestLoginMs)),
      residentMb: Math.max(...times.map(({ phase }) => phase.residentMb)),
      responses: Object.fromEntries(
        [...statuses].map((status) => [status, sum((phase) => phase.attackResponses[status] ?? 0)]),
      ),
    };
  });
}

function attackFaults(summary: AttackSummary, bounds: Bounds): string[] {
  const { attack, requests, limited, p99Ms, slowdown, responses } = summary;
  const serverErrors = Object.keys(responses).filter((status) => /^5/.test(status) && status !== '503');
  return [
    ...(p99Ms > bounds.negligibleMs && slowdown > bounds.slowdown
      ? [`The p99 is ${slowdown.toFixed(1)} times as long during ${attack}.`]
      : []),
    ...(limited > requests * bounds.limited
      ? [`${limited} of ${requests} requests got 429 or 503 during ${attack}.`]
      : []),
    ...serverErrors.map((status) => `The attackers got ${status} by ${attack}.`),
  ];
}

function mean(one: number, other: number): number {
  return (one + other) / 2;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
