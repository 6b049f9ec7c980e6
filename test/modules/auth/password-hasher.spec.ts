import { DomainError } from '../../../src/kernel/domain-error';
import { PasswordHasherService } from '../../../src/modules/auth/application/password-hasher.service';

const COST = 4;
const CLIENT = '198.51.100.7';

const STRANGER = { address: CLIENT, owner: null };

const candidates = (...hashes: string[]) => hashes.map((passwordHash) => ({ passwordHash }));

describe('PasswordHasher', () => {
  let hasher: PasswordHasherService;

  beforeEach(() => {
    hasher = new PasswordHasherService(COST);
  });
  afterEach(() => hasher.onApplicationShutdown());

  const matching = (password: string, ...hashes: string[]) =>
    hasher.matching(password, STRANGER, async () => candidates(...hashes));

  it('matches the hashes of the same password only', async () => {
    const [one, other] = [
      await hasher.hash('one horse battery', CLIENT),
      await hasher.hash('other horse battery', CLIENT),
    ];
    expect(one).toMatch(/^\$2[aby]\$04\$/);
    expect(await matching('one horse battery', one, other)).toEqual(candidates(one));
    expect(await matching('no horse battery', one, other)).toEqual([]);
    expect(await matching('one horse battery')).toEqual([]);
  });

  it('returns nothing for an empty password without hashes', async () => {
    expect(await matching('')).toEqual([]);
  });

  it('does not match passwords beyond 72 bytes, which bcrypt would truncate', async () => {
    const hash = await hasher.hash('k'.repeat(72), CLIENT);
    expect(await matching('k'.repeat(72), hash)).toEqual(candidates(hash));
    expect(await matching('k'.repeat(73), hash)).toEqual([]);
    const accented = await hasher.hash('é'.repeat(36), CLIENT);
    expect(await matching(`${'é'.repeat(36)}x`, accented)).toEqual([]);
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
    const comparisons = Array.from({ length: 20 }, () => matching('wrong horse battery', hash));
    const floods = Array.from({ length: 620 }, flood);
    expect(await Promise.all(comparisons)).toEqual(comparisons.map(() => []));
    flooding = false;
    await Promise.all(floods);
  });

  it('evaluates the candidates when it is the turn of the attempt, so that a limit holds that was reached meanwhile', async () => {
    const error = new DomainError('rate_limited', 'Too many failed logins.');
    let evaluated = 0;
    const attempt = () =>
      hasher.matching('wrong horse battery', STRANGER, async () => {
        evaluated += 1;
        if (evaluated > 10) throw error;
        return candidates();
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, attempt));
    expect(outcomes.slice(0, 10)).toEqual(Array(10).fill({ status: 'fulfilled', value: [] }));
    expect(outcomes.slice(10)).toEqual(Array(40).fill({ status: 'rejected', reason: error }));
  });

  describe('while many networks log in', () => {
    const NETWORKS = 128;
    /** Far below the number of networks, and above what two threads complete meanwhile. */
    const FEW = 24;

    beforeEach(() => {
      hasher = new PasswordHasherService(COST, 2);
    });

    /** @returns how many logins from the addresses are done before a later one from elsewhere */
    async function doneBefore(
      addressOf: (index: number) => string,
      owner: string | null,
      ownerOf: (index: number) => string | null = () => null,
    ): Promise<number> {
      let done = 0;
      const logIn = (address: string, of: string | null) =>
        hasher.matching('wrong horse battery', { address, owner: of }, async () => []);
      const waiting = Array.from({ length: NETWORKS }, async (_, index) => {
        await logIn(addressOf(index), ownerOf(index));
        done += 1;
      });
      const before = await logIn('192.0.2.1', owner).then(() => done);
      await Promise.all(waiting);
      return before;
    }

    it.each([
      ['a login from elsewhere', 'one IPv6 network of 48 bits', (n: number) => `2001:db8:1:${n}::1`, null],
      ['a login from elsewhere', 'one IPv6 network of 32 bits', (n: number) => `2001:db8:${n}::1`, null],
      ['a login from elsewhere', 'one IPv4 network of 24 bits', (n: number) => `203.0.113.${n}`, null],
      ['an owner in a known network', 'unrelated networks', (n: number) => `198.18.${n}.1`, 'usr_1'],
    ])('%s waits for few of the logins from %s', async (_, __, addressOf, owner) => {
      expect(await doneBefore(addressOf, owner)).toBeLessThan(FEW);
    });

    it('an owner in a known network waits for few of the many owners in another network', async () => {
      const done = await doneBefore(
        () => '203.0.113.1',
        'usr_1',
        (index) => `usr_other_${index}`,
      );
      expect(done).toBeLessThan(FEW);
    });
  });
});
