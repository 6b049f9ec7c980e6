import { DomainError } from '../../../src/kernel/domain-error';
import { PasswordHasher } from '../../../src/modules/auth/application/password-hasher';

const COST = 4;
const CLIENT = '198.51.100.7';

const candidates = (...hashes: string[]) => hashes.map((passwordHash) => ({ passwordHash }));

describe('PasswordHasher', () => {
  let hasher: PasswordHasher;

  beforeEach(() => {
    hasher = new PasswordHasher(COST);
  });
  afterEach(() => hasher.onApplicationShutdown());

  it('matches the hashes of the same password only', async () => {
    const [one, other] = [
      await hasher.hash('one horse battery', CLIENT),
      await hasher.hash('other horse battery', CLIENT),
    ];
    expect(one).toMatch(/^\$2[aby]\$04\$/);
    expect(await hasher.matching('one horse battery', candidates(one, other), CLIENT)).toEqual(
      candidates(one),
    );
    expect(await hasher.matching('no horse battery', candidates(one, other), CLIENT)).toEqual([]);
    expect(await hasher.matching('one horse battery', [], CLIENT)).toEqual([]);
  });

  it('returns nothing for an empty password without hashes', async () => {
    expect(await hasher.matching('', [], CLIENT)).toEqual([]);
  });

  it('does not match passwords beyond 72 bytes, which bcrypt would truncate', async () => {
    const hash = await hasher.hash('k'.repeat(72), CLIENT);
    expect(await hasher.matching('k'.repeat(72), candidates(hash), CLIENT)).toEqual(candidates(hash));
    expect(await hasher.matching('k'.repeat(73), candidates(hash), CLIENT)).toEqual([]);
    expect(
      await hasher.matching(
        `${'é'.repeat(36)}x`,
        candidates(await hasher.hash('é'.repeat(36), CLIENT)),
        CLIENT,
      ),
    ).toEqual([]);
  });

  it('recognizes a hash of a lower cost', async () => {
    const hash = await hasher.hash('one horse battery', CLIENT);
    expect(hasher.isOutdated(hash)).toBe(false);
    expect(hasher.isOutdated(hash.replace('$04$', '$03$'))).toBe(true);
    expect(hasher.isOutdated(hash.replace('$04$', '$05$'))).toBe(false);
  });

  it('queues at least 500 tasks, rejects further ones and recovers', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 800 }, () => hasher.hash('one horse battery', CLIENT)),
    );
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const errors = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as DomainError] : [],
    );
    expect(done).toBeGreaterThanOrEqual(500);
    expect(errors.length).toBeGreaterThan(0);
    expect(
      errors.filter(({ code, retryAfterSeconds }) => code !== 'unavailable' || !retryAfterSeconds),
    ).toEqual([]);
    expect(await hasher.hash('one horse battery', CLIENT)).toMatch(/^\$2/);
  });

  it('completes a queued comparison while the queue is full', async () => {
    const hash = await hasher.hash('one horse battery', CLIENT);
    let flooding = true;
    const flood = async () => {
      while (flooding) await hasher.hash('flood', CLIENT).catch(() => new Promise(setImmediate));
    };
    const comparisons = Array.from({ length: 20 }, () =>
      hasher.matching('wrong horse battery', candidates(hash), CLIENT),
    );
    const floods = Array.from({ length: 620 }, flood);
    expect(await Promise.all(comparisons)).toEqual(comparisons.map(() => []));
    flooding = false;
    await Promise.all(floods);
  });

  it('compares nothing for an attempt whose limit is reached while it waits', async () => {
    const error = new DomainError('rate_limited', 'Too many failed logins.');
    let reached = false;
    const attempt = () =>
      hasher.matching('wrong horse battery', candidates(), CLIENT, () =>
        reached ? Promise.reject(error) : Promise.resolve(),
      );
    const waiting = Array.from({ length: 50 }, attempt);
    await waiting[0];
    reached = true;
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(40);
    expect(outcomes.at(-1)).toEqual({ status: 'rejected', reason: error });
  });
});
