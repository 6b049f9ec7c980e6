import { DataSource } from 'typeorm';
import { DomainError } from '../../../src/kernel/domain-error';
import { FailedLogins } from '../../../src/modules/auth/application/failed-logins';
import { authSettings } from '../../../src/modules/auth/auth.settings';
import { dataSourceOptions } from '../../../src/platform/database/engine/data-source';
import { EmailLimits } from '../../../src/platform/database/shared-limit';
import { schema } from '../../support/core';
import { createDatabase, dropDatabase } from '../../support/databases';
import { someEmail } from '../../support/people';

const USER = { subjectId: 'usr_1' };
const ACCOUNT = { subjectId: 'acc_1' };

describe('FailedLogins', () => {
  let name: string;
  let dataSource: DataSource;
  let addresses = 0;

  beforeAll(async () => {
    const database = await createDatabase();
    name = database.name;
    dataSource = await new DataSource(dataSourceOptions(database.url, 4, schema)).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await dropDatabase(name);
  });

  /** @param owners those to whom all networks are known */
  function failedLogins(production: boolean, owners: readonly { subjectId: string }[] = []): FailedLogins {
    const { failedLogins: points } = authSettings.read({}, { production });
    const known = {
      known: async <Subject extends { subjectId: string }>(subjects: readonly Subject[]) =>
        subjects.filter(({ subjectId }) => owners.some((owner) => owner.subjectId === subjectId)),
    };
    const limits = new EmailLimits(dataSource, 'failed-logins', points, 900);
    return new FailedLogins(known, limits, { query: (sql, params) => dataSource.query(sql, [...params]) });
  }

  const newAddress = () => `198.51.100.${(addresses += 1)}`;

  /** Returns 'allowed' or the seconds until a retry. */
  async function outcome(call: Promise<unknown>): Promise<'allowed' | number> {
    try {
      await call;
      return 'allowed';
    } catch (error) {
      if (error instanceof DomainError && error.code === 'rate_limited') return error.retryAfterSeconds!;
      throw error;
    }
  }

  const subjects = {
    'one email from one address': (email: string, address: string) => () => ({ email, address }),
    'one email': (email: string) => () => ({ email, address: newAddress() }),
    'one address': (_: string, address: string) => () => ({ email: someEmail(), address }),
  };

  it.each<[string, boolean, keyof typeof subjects, number]>([
    ['production', true, 'one email from one address', 10],
    ['production', true, 'one email', 100],
    ['production', true, 'one address', 100],
    ['development', false, 'one email from one address', 100],
    ['development', false, 'one email', 1000],
    ['development', false, 'one address', 1000],
  ])(
    'in %s (production: %s), %s may fail %i times in 15 minutes, also concurrently',
    async (_, production, limited, limit) => {
      const logins = failedLogins(production);
      const next = subjects[limited](someEmail(), newAddress());
      const fail = () => {
        const { email, address } = next();
        return outcome(logins.count(email, address, []));
      };
      const belowLimit = await Promise.all(Array.from({ length: limit - 1 }, fail));
      expect(belowLimit.filter((each) => each !== 'allowed')).toEqual([]);
      const { email, address } = next();
      expect(await outcome(logins.filterAllowed(email, address, []))).toBe('allowed');

      const atLimit = await Promise.all(Array.from({ length: 5 }, fail));
      expect(atLimit.filter((each) => each === 'allowed')).toHaveLength(1);
      const again = next();
      const waitSeconds = await outcome(logins.filterAllowed(again.email, again.address, []));
      expect(waitSeconds).toBeGreaterThan(0);
      expect(waitSeconds).toBeLessThanOrEqual(900);
    },
  );

  it('does not count attempts beyond the limit of one address against the email', async () => {
    const logins = failedLogins(true);
    const [email, attacker] = [someEmail(), newAddress()];
    const attempts = await Promise.all(
      Array.from({ length: 150 }, () => outcome(logins.count(email, attacker, []))),
    );
    expect(attempts.filter((each) => each === 'allowed')).toHaveLength(10);
    expect(await outcome(logins.filterAllowed(email, attacker, []))).not.toBe('allowed');
    expect(await outcome(logins.filterAllowed(email, newAddress(), []))).toBe('allowed');
  });

  describe('when strangers have reached the limit of an email', () => {
    let email: string;
    const both = [USER, ACCOUNT];

    beforeEach(async () => {
      email = someEmail();
      for (let failure = 0; failure < 100; failure += 1)
        await failedLogins(true).count(email, `203.0.${failure}.1`, both);
    });

    it.each([
      ['both', both, both],
      ['the user', [USER], [USER]],
      ['the account', [ACCOUNT], [ACCOUNT]],
    ])('permits those to whom the network is known: %s', async (_, owners, permitted) => {
      expect(await failedLogins(true, owners).filterAllowed(email, newAddress(), both)).toEqual(permitted);
    });

    it.each([
      ['the network is known to none', [], both],
      ['the owner is another one', [ACCOUNT], [USER]],
      ['nobody has the email', both, []],
    ])('permits nothing if %s', async (_, owners, subjects) => {
      const logins = failedLogins(true, owners);
      expect(await outcome(logins.filterAllowed(email, newAddress(), subjects))).not.toBe('allowed');
      expect(await outcome(logins.count(email, newAddress(), subjects))).not.toBe('allowed');
    });

    it('rejects the result of a comparison that included someone to whom the network is not known', async () => {
      const logins = failedLogins(true, [ACCOUNT]);
      expect(await outcome(logins.count(email, newAddress(), both))).not.toBe('allowed');
      expect(await outcome(logins.count(email, newAddress(), [ACCOUNT]))).toBe('allowed');
    });
  });

  it('resets the counts after 15 minutes', async () => {
    const logins = failedLogins(true);
    const [email, address] = [someEmail(), newAddress()];
    for (let count = 0; count < 10; count += 1) await logins.count(email, address, []);
    expect(await outcome(logins.filterAllowed(email, address, []))).not.toBe('allowed');
    await dataSource.query('UPDATE shared_limits SET expire = expire - $1', [900_000]);
    expect(await outcome(logins.filterAllowed(email, address, []))).toBe('allowed');
    expect(await outcome(logins.count(email, address, []))).toBe('allowed');
  });

  it('stores neither emails nor addresses', async () => {
    const [email, address] = [someEmail(), newAddress()];
    await failedLogins(true).count(email, address, []);
    const rows = JSON.stringify(await dataSource.query('SELECT * FROM shared_limits'));
    expect(rows).not.toContain(email);
    expect(rows).not.toContain(address);
  });
});
