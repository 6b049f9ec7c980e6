import { DataSource } from 'typeorm';
import { AuditLogLists1796013000000 } from '../../../migrations/1796013000000-audit-log-lists';
import { newId } from '../../../src/kernel/ids';
import { aUser, logIn, Person, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

/** By how many minutes the clock of each addition differs from that of the one before: servers disagree, requests take time. */
const STEPS = [1, 2, -5, 9, -1, 1, 1, -30, 31, 0, 4, -2, -2, 7, 1, -12, 12, 3];

let service: TestService;
let admin: Person;
let user: Person;

beforeAll(async () => {
  service = await startTestService();
  user = await aUser(service.api);
});
afterAll(() => service.stop());

async function logInAt(steps: readonly number[]): Promise<void> {
  for (const minutes of steps) {
    service.clock.move({ minutes });
    await logIn(service.api, user.email);
  }
}

const head = async () =>
  (
    await service.sql<Readonly<Record<'sequence' | 'measured_sequence' | 'max_lag' | 'recent_lag', string>>>(
      'SELECT sequence, measured_sequence, max_lag::text, recent_lag::text FROM audit_log_head',
    )
  )[0]!;

/** Adds an entry as a release does that does not measure. */
async function addUnmeasured(createdAt: Date): Promise<void> {
  await service.sql(
    `WITH added AS (
       INSERT INTO audit_log (sequence, id, created_at, action, object_id, outcome, details, hash)
       SELECT sequence + 1, $1, $2, 'login', $3, 'succeeded', '{}', hash FROM audit_log_head RETURNING sequence)
     UPDATE audit_log_head SET sequence = added.sequence FROM added`,
    [newId('aud', createdAt), createdAt.toISOString(), user.id],
  );
}

/** Compares each interval between the times of two entries with the rows. */
async function expectAllIntervals(): Promise<void> {
  const rows = await service.sql<{ id: string; created_at: Date }>(
    'SELECT id, created_at FROM audit_log WHERE object_id = $1 ORDER BY sequence DESC',
    [user.id],
  );
  const times = [...new Set(rows.map(({ created_at }) => created_at.getTime()))];
  for (const from of times)
    for (const to of times.filter((time) => time >= from)) {
      const [date_from, date_to] = [from, to].map((time) => new Date(time).toISOString());
      const query = new URLSearchParams({ object_id: user.id, limit: '100', date_from, date_to } as Record<
        string,
        string
      >);
      const { body } = await admin.api.get(`/v1/audit-log?${query.toString()}`);
      const expected = rows.filter(
        ({ created_at }) => created_at.getTime() >= from && created_at.getTime() <= to,
      );
      expect(body.data.map(({ id }: { id: string }) => id)).toEqual(expected.map(({ id }) => id));
    }
}

describe('The dates of the audit log', () => {
  it('find all entries, also when clocks of servers differ', async () => {
    await logInAt(STEPS);
    admin = await theAdmin(service.api);
    const { max_lag, recent_lag } = await head();
    expect([max_lag, recent_lag]).toEqual([expect.stringMatching(/^00:(29:5|30:0)/), '00:00:00']);
    await expectAllIntervals();
  }, 60_000);

  it('find the entries that a replica of the previous release has added', async () => {
    admin = await theAdmin(service.api);
    const now = service.clock.now().getTime();
    await addUnmeasured(new Date(now + 3_600_000));
    await addUnmeasured(new Date(now - 7_200_000));
    const before = await head();
    expect(Number(before.sequence)).toBe(Number(before.measured_sequence) + 2);
    await expectAllIntervals();
    await logInAt([1]);
    expect((await head()).max_lag).toMatch(/^03:0/);
    await expectAllIntervals();
  }, 60_000);

  it('find all entries of before the upgrade, also when it is repeated', async () => {
    const measured = await head();
    const dataSource = await new DataSource({ type: 'postgres', url: service.databaseUrl }).initialize();
    const queryRunner = dataSource.createQueryRunner();
    const migration = new AuditLogLists1796013000000();
    await migration.down(queryRunner);
    await migration.up(queryRunner);
    await migration.up(queryRunner);
    await dataSource.destroy();
    expect(await head()).toEqual(measured);
    await expectAllIntervals();
  }, 60_000);
});
