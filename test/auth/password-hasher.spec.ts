import { Refusal } from '../../src/kernel/refusal';
import { PasswordHasher } from '../../src/modules/auth/application/password-hasher';

const COST = 4;
/** A failed login costs this many comparisons. */
const COMPARISONS = 2;

describe('PasswordHasher', () => {
  let hasher: PasswordHasher;

  beforeEach(() => {
    hasher = new PasswordHasher(COST);
  });
  afterEach(() => hasher.onApplicationShutdown());

  it('matches what it hashed, and nothing else', async () => {
    const [one, other] = [await hasher.hash('one horse battery'), await hasher.hash('other horse battery')];
    expect(one).toMatch(/^\$2[aby]\$04\$/);
    expect(await hasher.matching('one horse battery', [one, other], COMPARISONS)).toEqual([one]);
    expect(await hasher.matching('no horse battery', [one, other], COMPARISONS)).toEqual([]);
    expect(await hasher.matching('one horse battery', [], COMPARISONS)).toEqual([]);
  });

  it('never matches an empty password with no hash', async () => {
    expect(await hasher.matching('', [], COMPARISONS)).toEqual([]);
  });

  it('matches nothing beyond 72 bytes, though bcrypt would cut it', async () => {
    const hash = await hasher.hash('k'.repeat(72));
    expect(await hasher.matching('k'.repeat(72), [hash], COMPARISONS)).toEqual([hash]);
    expect(await hasher.matching('k'.repeat(73), [hash], COMPARISONS)).toEqual([]);
    expect(
      await hasher.matching(`${'é'.repeat(36)}x`, [await hasher.hash('é'.repeat(36))], COMPARISONS),
    ).toEqual([]);
  });

  it('knows a hash of a lower cost', async () => {
    const hash = await hasher.hash('one horse battery');
    expect(hasher.isOutdated(hash)).toBe(false);
    expect(hasher.isOutdated(hash.replace('$04$', '$03$'))).toBe(true);
    expect(hasher.isOutdated(hash.replace('$04$', '$05$'))).toBe(false);
  });

  it('lets at least 500 wait, refuses what goes beyond, and works again after', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 800 }, () => hasher.hash('one horse battery')),
    );
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as Refusal] : [],
    );
    expect(done).toBeGreaterThanOrEqual(500);
    expect(refusals.length).toBeGreaterThan(0);
    expect(
      refusals.filter(({ code, retryAfterSeconds }) => code !== 'unavailable' || !retryAfterSeconds),
    ).toEqual([]);
    expect(await hasher.hash('one horse battery')).toMatch(/^\$2/);
  });

  it('compares a try that was let in to its end, however full the queue is kept', async () => {
    const hash = await hasher.hash('one horse battery');
    let flooding = true;
    const flood = async () => {
      while (flooding) await hasher.hash('flood').catch(() => new Promise(setImmediate));
    };
    const tries = Array.from({ length: 20 }, () =>
      hasher.matching('wrong horse battery', [hash], COMPARISONS),
    );
    const floods = Array.from({ length: 620 }, flood);
    expect(await Promise.all(tries)).toEqual(tries.map(() => []));
    flooding = false;
    await Promise.all(floods);
  });
});
