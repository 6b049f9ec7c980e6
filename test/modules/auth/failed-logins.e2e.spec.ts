import { DataSource } from 'typeorm';
import { DomainError } from '../../../src/kernel/domain-error';
import { PostgresFailedLogins } from '../../../src/modules/auth/infrastructure/postgres-failed-logins';
import { dataSourceOptions } from '../../../src/platform/database/data-source';
import { schema } from '../../support/core';
import { createDatabase, dropDatabase } from '../../support/databases';
import { someEmail } from '../../support/people';

describe('PostgresFailedLogins', () => {
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

  const newAddress = () => `198.51.100.${(addresses += 1)}`;

  /** Returns 'allowed' or the seconds until a retry. */
  async function outcome(call: Promise<void>): Promise<'allowed' | number> {
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
      const logins = new PostgresFailedLogins(dataSource, production);
      const next = subjects[limited](someEmail(), newAddress());
      const fail = () => {
        const { email, address } = next();
        return outcome(logins.count(email, address));
      };
      const belowLimit = await Promise.all(Array.from({ length: limit - 1 }, fail));
      expect(belowLimit.filter((each) => each !== 'allowed')).toEqual([]);
      const { email, address } = next();
      expect(await outcome(logins.assertAllowed(email, address))).toBe('allowed');

      const atLimit = await Promise.all(Array.from({ length: 5 }, fail));
      expect(atLimit.filter((each) => each === 'allowed')).toHaveLength(1);
      const again = next();
      const waitSeconds = await outcome(logins.assertAllowed(again.email, again.address));
      expect(waitSeconds).toBeGreaterThan(0);
      expect(waitSeconds).toBeLessThanOrEqual(900);
    },
  );

  it('does not count attempts beyond the limit of one address against the email', async () => {
    const logins = new PostgresFailedLogins(dataSource, true);
    const [email, attacker] = [someEmail(), newAddress()];
    const attempts = await Promise.all(
      Array.from({ length: 150 }, () => outcome(logins.count(email, attacker))),
    );
    expect(attempts.filter((each) => each === 'allowed')).toHaveLength(10);
    expect(await outcome(logins.assertAllowed(email, attacker))).not.toBe('allowed');
    expect(await outcome(logins.assertAllowed(email, newAddress()))).toBe('allowed');
  });

  it('resets the counts after 15 minutes', async () => {
    const logins = new PostgresFailedLogins(dataSource, true);
    const [email, address] = [someEmail(), newAddress()];
    for (let count = 0; count < 10; count += 1) await logins.count(email, address);
    expect(await outcome(logins.assertAllowed(email, address))).not.toBe('allowed');
    await dataSource.query('UPDATE failed_logins SET expire = expire - $1', [900_000]);
    expect(await outcome(logins.assertAllowed(email, address))).toBe('allowed');
    expect(await outcome(logins.count(email, address))).toBe('allowed');
  });

  it('stores neither emails nor addresses', async () => {
    const [email, address] = [someEmail(), newAddress()];
    await new PostgresFailedLogins(dataSource, true).count(email, address);
    const rows = JSON.stringify(await dataSource.query('SELECT * FROM failed_logins'));
    expect(rows).not.toContain(email);
    expect(rows).not.toContain(address);
  });
});
