import fc from 'fast-check';
import { Reply } from '../../support/api';
import { anOperator, aUser, Person, theAdmin } from '../../support/people';
import { draw, rounds, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';

const ROUNDS = rounds(6);

/** The operations that remove an active admin. */
const removals: Record<string, (by: Person, of: Person) => Promise<Reply>> = {
  delete: (by, of) => by.api.delete(`/v1/users/${of.id}`),
  demote: (by, of) => by.api.patch(`/v1/users/${of.id}`, { role: 'user' }),
  suspend: (by, of) => by.api.patch(`/v1/users/${of.id}`, { status: 'suspended' }),
  makePending: (by, of) => by.api.patch(`/v1/users/${of.id}`, { status: 'pending', name: 'Was an admin' }),
};

const removal = fc.constantFrom(...Object.keys(removals));

describe('The last active admin', () => {
  let service: TestService;
  let admin: Person;

  beforeAll(async () => {
    service = await startTestService();
    admin = await theAdmin(service.api);
  });
  afterAll(() => service.stop());

  const activeAdmins = async () => {
    const found = await service.sql<{ id: string }>(
      `SELECT id FROM users WHERE role = 'admin' AND status = 'active'`,
    );
    return found.map(({ id }) => id);
  };

  const anotherAdmin = async ({ api }: Person): Promise<Person> => {
    const user = await aUser(service.api);
    await api.patch(`/v1/users/${user.id}`, { role: 'admin' });
    return user;
  };

  it.each(Object.keys(removals))('cannot be removed: %s', async (name) => {
    const { body: before } = await admin.api.get(`/v1/users/${admin.id}`);
    const { status, body } = await removals[name]!(admin, admin);
    expect([status, body.error]).toEqual([403, 'forbidden']);
    expect((await admin.api.get(`/v1/users/${admin.id}`)).body).toEqual(before);
  });

  it('cannot be removed while all other admins are inactive', async () => {
    const other = await anOperator(service.api, 'admin');
    await admin.api.patch(`/v1/users/${other.id}`, { status: 'suspended' });
    expect((await removals['demote']!(admin, admin)).status).toBe(403);
    await admin.api.patch(`/v1/users/${other.id}`, { status: 'active' });
    expect((await removals['demote']!(admin, other)).status).toBe(200);
  });

  it('can be updated if it stays an active admin', async () => {
    const { status, body } = await admin.api.patch(`/v1/users/${admin.id}`, {
      name: 'Root',
      role: 'admin',
      status: 'active',
    });
    expect([status, body.name]).toEqual([200, 'Root']);
  });

  it(`remains when two admins remove each other concurrently (${ROUNDS} rounds, seed ${SEED})`, async () => {
    let one = admin;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const [first, second] = draw(removal, 2, round) as [string, string];
      const two = await anotherAdmin(one);
      const replies = await Promise.all([removals[first]!(one, two), removals[second]!(two, one)]);
      const left = await activeAdmins();
      expect([round, first, second, left.length]).toEqual([round, first, second, 1]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ status }) => ![200, 401, 403, 404].includes(status))).toEqual([]);
      if (left[0] === two.id) one = two;
    }
  });

  it(`remains when each of eight admins removes the next one concurrently (seed ${SEED})`, async () => {
    const [survivor] = await activeAdmins();
    const ring = await Promise.all(Array.from({ length: 8 }, () => aUser(service.api)));
    await service.sql(`UPDATE users SET role = 'admin' WHERE id = ANY($1)`, [ring.map(({ id }) => id)]);
    await service.sql(`UPDATE credentials SET role = 'admin' WHERE subject_id = ANY($1)`, [
      ring.map(({ id }) => id),
    ]);
    await service.sql(`UPDATE sessions SET role = 'admin' WHERE user_id = ANY($1)`, [
      ring.map(({ id }) => id),
    ]);
    await service.sql(`UPDATE users SET status = 'suspended' WHERE id = $1`, [survivor]);
    const names = draw(removal, ring.length);
    const replies = await Promise.all(
      ring.map((by, index) => removals[names[index]!]!(by, ring[(index + 1) % ring.length]!)),
    );
    const removed = replies.filter(({ status }) => status === 200).length;
    expect(removed).toBeLessThan(ring.length);
    expect(await activeAdmins()).toHaveLength(ring.length - removed);
    expect(replies.filter(({ status }) => ![200, 401, 403, 404].includes(status))).toEqual([]);
  });
});
