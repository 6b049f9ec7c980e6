import { DataSource } from 'typeorm';
import { Refusal } from '../../src/kernel/refusal';
import { PostgresFailedLogins } from '../../src/modules/auth/infrastructure/postgres-failed-logins';
import { dataSourceOptions } from '../../src/platform/database/data-source';
import { schema } from '../../src/schema';
import { createDatabase, dropDatabase } from '../support/databases';
import { someEmail } from '../support/people';

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

  const anAddress = () => `198.51.100.${(addresses += 1)}`;

  /** 'allowed', or how long to wait. */
  async function outcome(call: Promise<void>): Promise<'allowed' | number> {
    try {
      await call;
      return 'allowed';
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limited') return error.retryAfterSeconds!;
      throw error;
    }
  }

  const who = {
    'one email from one address': (email: string, address: string) => () => ({ email, address }),
    'one email': (email: string) => () => ({ email, address: anAddress() }),
    'one address': (_: string, address: string) => () => ({ email: someEmail(), address }),
  };

  it.each<[string, boolean, keyof typeof who, number]>([
    ['production', true, 'one email from one address', 10],
    ['production', true, 'one email', 100],
    ['production', true, 'one address', 100],
    ['elsewhere', false, 'one email from one address', 100],
    ['elsewhere', false, 'one email', 1000],
    ['elsewhere', false, 'one address', 1000],
  ])(
    'in %s (%s) %s may fail %i times in 15 minutes, also all at once',
    async (_, production, limited, limit) => {
      const logins = new PostgresFailedLogins(dataSource, production);
      const next = who[limited](someEmail(), anAddress());
      const fail = () => {
        const { email, address } = next();
        return outcome(logins.count(email, address));
      };
      const early = await Promise.all(Array.from({ length: limit - 1 }, fail));
      expect(early.filter((each) => each !== 'allowed')).toEqual([]);
      const { email, address } = next();
      expect(await outcome(logins.assertAllowed(email, address))).toBe('allowed');

      const late = await Promise.all(Array.from({ length: 5 }, fail));
      expect(late.filter((each) => each === 'allowed')).toHaveLength(1);
      const again = next();
      const waitSeconds = await outcome(logins.assertAllowed(again.email, again.address));
      expect(waitSeconds).toBeGreaterThan(0);
      expect(waitSeconds).toBeLessThanOrEqual(900);
    },
  );

  it('counts nothing against the email that one machine tries beyond its own limit: no one else is locked out', async () => {
    const logins = new PostgresFailedLogins(dataSource, true);
    const [email, machine] = [someEmail(), anAddress()];
    const tries = await Promise.all(Array.from({ length: 150 }, () => outcome(logins.count(email, machine))));
    expect(tries.filter((each) => each === 'allowed')).toHaveLength(10);
    expect(await outcome(logins.assertAllowed(email, machine))).not.toBe('allowed');
    expect(await outcome(logins.assertAllowed(email, anAddress()))).toBe('allowed');
  });

  it('forgets after 15 minutes', async () => {
    const logins = new PostgresFailedLogins(dataSource, true);
    const [email, address] = [someEmail(), anAddress()];
    for (let count = 0; count < 10; count += 1) await logins.count(email, address);
    expect(await outcome(logins.assertAllowed(email, address))).not.toBe('allowed');
    await dataSource.query('UPDATE failed_logins SET expire = expire - $1', [900_000]);
    expect(await outcome(logins.assertAllowed(email, address))).toBe('allowed');
    expect(await outcome(logins.count(email, address))).toBe('allowed');
  });

  it('keeps neither emails nor addresses', async () => {
    const [email, address] = [someEmail(), anAddress()];
    await new PostgresFailedLogins(dataSource, true).count(email, address);
    const rows = JSON.stringify(await dataSource.query('SELECT * FROM failed_logins'));
    expect(rows).not.toContain(email);
    expect(rows).not.toContain(address);
  });
});
