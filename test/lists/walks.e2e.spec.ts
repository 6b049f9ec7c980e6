import fc from 'fast-check';
import { Api } from '../support/api';
import { anOwner, created, Owner, theAdmin } from '../support/people';
import { draw, rounds, SEED } from '../support/rounds';
import { startTestService, TestService } from '../support/service';
import { cursorLists } from './lists.suite';

/** Two replicas whose clocks are seconds apart, and writers that use both while somebody reads. */
describe.each(cursorLists)(`Walks of $path while others write (seed ${SEED})`, ({ path, table, body }) => {
  let service: TestService;
  let replica: TestService;
  let owner: Owner;
  let clients: Api[];

  beforeAll(async () => {
    service = await startTestService();
    replica = await service.replica();
    replica.clock.move({ seconds: -7 });
    owner = await anOwner(service.api);
    clients = [owner.api, replica.api.as(owner.token)];
  });
  afterAll(async () => {
    await replica.stop();
    await service.stop();
  });

  const create = (index: number): Promise<{ id: string; created_at: string }> =>
    created(clients[index % 2]!, path, body(owner.accountId));
  const page = async (api: Api, query: string): Promise<{ ids: string[]; more: boolean }> => {
    const { body: answer } = await api.get(`${path}?${query}`);
    return { ids: answer.data.map(({ id }: { id: string }) => id), more: answer.has_more };
  };

  /** Writes, four at a time and through both replicas, until told to stop; answers what it made. */
  function writeUntilStopped(): { stop(): Promise<string[]> } {
    let going = true;
    const made: string[] = [];
    const write = async (index: number): Promise<void> => {
      while (going) made.push((await create(index)).id);
    };
    const writers = Promise.all([0, 1, 2, 3].map(write));
    return { stop: () => ((going = false), writers.then(() => made)) };
  }

  async function walk(
    api: Api,
    from: string,
    direction: 'starting_after' | 'ending_before',
    limit: number,
  ): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor = from; ;) {
      const { ids, more } = await page(api, `limit=${limit}&${direction}=${cursor}`);
      if (direction === 'starting_after') seen.push(...ids);
      else seen.unshift(...ids);
      if (!more) return seen;
      expect(ids).toHaveLength(limit);
      cursor = direction === 'starting_after' ? ids.at(-1)! : ids[0]!;
    }
  }

  it('see every row that was there before exactly once, forwards and back', async () => {
    const admin = (await theAdmin(service.api)).api;
    for (let round = 0; round < rounds(1); round += 1) {
      const first = await create(round);
      const before: string[] = [];
      for (let index = 0; index < 25; index += 1) before.unshift((await create(index)).id);
      const [limit] = draw(fc.integer({ min: 1, max: 6 }), 1, round);
      const writers = writeUntilStopped();
      const newest = (await page(owner.api, 'limit=1')).ids[0]!;
      const [forwards, everyAccount, back] = await Promise.all([
        walk(owner.api, newest, 'starting_after', limit!),
        walk(admin, newest, 'starting_after', limit!),
        walk(owner.api, first.id, 'ending_before', 20 + limit!), // faster than the writers, or it would never end
      ]);
      expect((await writers.stop()).length).toBeGreaterThan(0);
      for (const seen of [forwards, everyAccount, back]) {
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.toSorted().toReversed()).toEqual(seen);
        expect(seen.filter((id) => before.includes(id) && id !== newest)).toEqual(
          before.filter((id) => id !== newest),
        );
      }
    }
  });

  it('that follow the newest miss nothing and see nothing twice: ids are issued in the order of the commits', async () => {
    const first = await create(0);
    const writers = writeUntilStopped();
    const followed: string[] = [];
    let cursor = first.id;
    const follow = async (): Promise<void> => {
      const { ids } = await page(owner.api, `limit=100&ending_before=${cursor}`);
      followed.push(...ids.toReversed());
      cursor = ids[0] ?? cursor;
    };
    while (followed.length < 60 * rounds(1)) await follow();
    const made = await writers.stop();
    for (let length = -1; length < followed.length;) {
      length = followed.length;
      await follow();
    }
    expect(followed).toEqual(made.toSorted());
  });

  it('meet times that never go back along the list, whatever the clocks say', async () => {
    for (const seconds of [3, -60, 30, -1]) {
      service.clock.move({ seconds });
      await create(0);
      await create(1);
    }
    const { body: answer } = await owner.api.get(`${path}?limit=100`);
    const createdAt = answer.data.map((item: { created_at: string }) => item.created_at);
    expect(createdAt.toSorted().toReversed()).toEqual(createdAt);
    expect(await service.sql(`SELECT id FROM ${table} WHERE updated_at < created_at`)).toEqual([]);
  });
});
