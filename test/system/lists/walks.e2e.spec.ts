import fc from 'fast-check';
import { Creators, cursorLists } from '../../support/account-owned';
import { Api } from '../../support/api';
import { anOwner, Owner, Person, theAdmin } from '../../support/people';
import { draw, rounds, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';

/** Reads lists while writers use two replicas whose clocks differ by seconds. */
describe.each(cursorLists)(`Walks of $path while others write (seed ${SEED})`, (list) => {
  const { path, table, forOperators } = list;
  let service: TestService;
  let replica: TestService;
  let owner: Owner;
  let admin: Person;
  /** Reads the list as the owner of its only account, or as an operator. */
  let reader: Api;
  /** Write through one replica each. */
  let creators: Creators[];

  beforeAll(async () => {
    service = await startTestService();
    replica = await service.replica();
    replica.clock.move({ seconds: -7 });
    owner = await anOwner(service.api);
    admin = await theAdmin(service.api);
    reader = forOperators ? admin.api : owner.api;
    const through = ({ api }: TestService): Creators => ({
      owner: { ...owner, api: api.as(owner.token) },
      operator: { ...admin, api: api.as(admin.token) },
    });
    creators = [through(service), through(replica)];
  });
  afterAll(async () => {
    await replica.stop();
    await service.stop();
  });

  const create = (index: number): Promise<{ id: string; created_at: string }> =>
    list.create(creators[index % 2]!);
  const page = async (api: Api, query: string): Promise<{ ids: string[]; more: boolean }> => {
    const { body: list } = await api.get(`${path}?${query}`);
    return { ids: list.data.map(({ id }: { id: string }) => id), more: list.has_more };
  };

  /** Writes through both replicas, four requests at a time, until stopped. @returns what it created */
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

  it('return every earlier row exactly once, in both directions', async () => {
    for (let round = 0; round < rounds(1); round += 1) {
      const first = await create(round);
      const before: string[] = [];
      for (let index = 0; index < 25; index += 1) before.unshift((await create(index)).id);
      const [limit] = draw(fc.integer({ min: 1, max: 6 }), 1, round);
      const writers = writeUntilStopped();
      const newest = (await page(reader, 'limit=1')).ids[0]!;
      const [forwards, everyAccount, back] = await Promise.all([
        walk(reader, newest, 'starting_after', limit!),
        walk(admin.api, newest, 'starting_after', limit!),
        walk(reader, first.id, 'ending_before', 20 + limit!), // larger pages than the writers fill, so that the walk ends
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

  it('that follow the newest rows miss none and repeat none, since ids are issued in commit order', async () => {
    const first = await create(0);
    const writers = writeUntilStopped();
    const followed: string[] = [];
    let cursor = first.id;
    const follow = async (): Promise<void> => {
      const { ids } = await page(reader, `limit=100&ending_before=${cursor}`);
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

  it('return creation times that never decrease along the list, whatever the clocks', async () => {
    for (const seconds of [3, -60, 30, -1]) {
      service.clock.move({ seconds });
      await create(0);
      await create(1);
    }
    const { body: list } = await reader.get(`${path}?limit=100`);
    const createdAt = list.data.map((item: { created_at: string }) => item.created_at);
    expect(createdAt.toSorted().toReversed()).toEqual(createdAt);
    expect(await service.sql(`SELECT id FROM ${table} WHERE updated_at < created_at`)).toEqual([]);
  });
});
