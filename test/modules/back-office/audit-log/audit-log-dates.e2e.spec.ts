import { aUser, logIn, Person, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';

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

interface Entry {
  readonly id: string;
  readonly created_at: string;
  readonly sequence: number | null;
}

async function entries(query: Record<string, string> = {}): Promise<Entry[]> {
  const parameters = new URLSearchParams({ object_id: user.id, limit: '100', ...query });
  return (await admin.api.get(`/v1/audit-log?${parameters.toString()}`)).body.data;
}

describe('The dates of the audit log', () => {
  it('find all entries, sealed or not, also when clocks of servers differ', async () => {
    for (const [index, minutes] of STEPS.entries()) {
      service.clock.move({ minutes });
      await logIn(service.api, user.email);
      if (index % 5 === 0) await service.runDueTasks();
    }
    admin = await theAdmin(service.api);
    const all = await entries();
    expect(all.length).toBeGreaterThan(STEPS.length);
    expect(all.some(({ sequence }) => sequence === null)).toBe(true);
    expect(all.some(({ sequence }) => sequence !== null)).toBe(true);
    expect(all.map(({ created_at }) => created_at)).toEqual(
      all
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    );
    const times = [...new Set(all.map(({ created_at }) => created_at))];
    for (const date_from of times)
      for (const date_to of times.filter((time) => time >= date_from))
        expect(await entries({ date_from, date_to })).toEqual(
          all.filter(({ created_at }) => created_at >= date_from && created_at <= date_to),
        );
  });
});
