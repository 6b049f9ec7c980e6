import { Bounds, faultsOf, Phase } from './support/soak/verdict';

/** The verdict on the soak test reports each defect that it is for, and nothing about a sound run. */
const BOUNDS: Bounds = { memoryGrowth: 1.25, slowdown: 5, negligibleMs: 100, limited: 0.01 };
const PHASES = 61;

function run(defect: (phase: Phase, index: number) => Partial<Phase>): Phase[] {
  return Array.from({ length: PHASES }, (_, index) => {
    const isAttack = index % 2 === 1;
    const phase: Phase = {
      attack: isAttack ? `attack ${((index - 1) / 2) % 10}` : null,
      attackResponses: isAttack ? { 401: 900, 503: 10 } : {},
      requests: 1500,
      limited: 0,
      failures: [],
      p50Ms: 5,
      p99Ms: isAttack ? 120 : 40,
      longestLoginMs: 200,
      clientDelayMs: 1,
      residentMb: isAttack ? 230 : 200,
      sockets: isAttack ? 600 : 30,
      databaseConnections: 10,
      idleTransactions: 0,
    };
    return { ...phase, ...defect(phase, index) };
  });
}

it('reports nothing about a sound run', () => {
  expect(
    faultsOf(
      run(() => ({})),
      BOUNDS,
    ),
  ).toEqual([]);
});

it('reports memory that grows by 2 MB in each phase', () => {
  const leak = run(({ residentMb }, index) => ({ residentMb: residentMb + 2 * index }));
  expect(faultsOf(leak, BOUNDS)).toEqual([expect.stringContaining('The memory grew from')]);
});

it('reports sockets that stay open after attacks', () => {
  const leak = run(({ sockets }, index) => ({ sockets: sockets + index }));
  expect(faultsOf(leak, BOUNDS)[0]).toContain('sockets are open after a quiet phase');
});

it('reports connections to the database and transactions that stay open', () => {
  const leak = run(({ databaseConnections }, index) => ({
    databaseConnections: databaseConnections + index,
  }));
  expect(faultsOf(leak, BOUNDS)[0]).toContain('connections to the database are open');
  const open = run(({ attack }, index) => ({ idleTransactions: attack === null && index > 20 ? 1 : 0 }));
  expect(faultsOf(open, BOUNDS)[0]).toContain('1 database transactions were left open');
});

it('reports an attack that slows down others, but not one slow phase of three', () => {
  const slow = (phases: number) =>
    run(({ attack, p99Ms }, index) => ({ p99Ms: attack === 'attack 3' && index < phases ? 900 : p99Ms }));
  expect(faultsOf(slow(61), BOUNDS)).toEqual(['The p99 is 22.5 times as long during attack 3.']);
  expect(faultsOf(slow(20), BOUNDS)).toEqual([]);
});

it('reports failed requests, too many limited ones, and server errors', () => {
  const failed = run((_, index) => ({ failures: index === 30 ? ['500 {}'] : [] }));
  expect(faultsOf(failed, BOUNDS)).toEqual(['A request failed during a quiet phase: 500 {}']);
  const limited = run(({ attack }) => ({ limited: attack === 'attack 7' ? 20 : 0 }));
  expect(faultsOf(limited, BOUNDS)).toEqual(['60 of 4500 requests got 429 or 503 during attack 7.']);
  const error = run(({ attack, attackResponses }) => ({
    attackResponses: attack === 'attack 9' ? { ...attackResponses, 500: 1 } : attackResponses,
  }));
  expect(faultsOf(error, BOUNDS)).toEqual(['The attackers got 500 by attack 9.']);
});
