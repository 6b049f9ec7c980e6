import { Api } from '../../../src/service/developer/api';
import { eventsOf, ItemStream, ServiceEvent } from '../../../src/service/developer/item-stream';
import { Receiver } from '../../modules/events/webhooks/receiver';

/** How the service responds to a request: with a page, an error or by closing the connection. */
type Response =
  readonly string[] | { readonly status: number; readonly error: string; readonly headers?: object } | 'cut';

let service: Receiver;
let notices: string[];
let waits: number[];

beforeEach(async () => {
  service = await Receiver.start();
  [notices, waits] = [[], []];
});
afterEach(() => service.stop());

const anEvent = (id: string): ServiceEvent => ({
  id,
  type: 'transaction.created',
  object_id: `txn_${id}`,
  created_at: '2026-01-31T09:30:00.000Z',
});

/** The stream of a service that responds like this, one response after the other, and ends with the last. */
async function read(
  responses: readonly Response[],
  types?: readonly string[],
): Promise<{ ids: string[]; queries: string[] }> {
  const ending = new AbortController();
  const left = [...responses];
  service.respond = (http) => {
    const next = left.shift()!;
    if (next === 'cut') return void http.destroy();
    if ('status' in next)
      return void http
        .writeHead(next.status, { ...next.headers })
        .end(JSON.stringify({ error: next.error, message: `It is ${next.error}.` }));
    const hasMore = next.at(-1) === 'more';
    const data = next.filter((id) => id !== 'more').map(anEvent);
    http.end(JSON.stringify({ data, has_more: hasMore }));
  };
  const stream = new ItemStream(new Api(service.url, 'a token'), eventsOf(types), {
    signal: ending.signal,
    notice: (line) => void notices.push(line),
    pause: async (ms) => {
      waits.push(ms);
      if (left.length === 0) ending.abort();
    },
  });
  await stream.begin();
  const ids: string[] = [];
  for await (const { id } of stream.items()) ids.push(id);
  return { ids, queries: service.received.map(({ path }) => path.replace('/v1/events?', '')) };
}

describe('The stream of events', () => {
  it('begins after the newest one, and reads page by page', async () => {
    const { ids, queries } = await read([['old'], ['a', 'b', 'more'], ['c']]);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(queries).toEqual(['limit=1', 'order=asc&starting_after=old', 'order=asc&starting_after=b']);
    expect(waits).toEqual([1_000]);
  });

  it('begins with the first event where there is none yet', async () => {
    const { ids, queries } = await read([[], [], ['a']]);
    expect(ids).toEqual(['a']);
    expect(queries.slice(1)).toEqual(['order=asc', 'order=asc']);
  });

  it('asks for its types only', async () => {
    const { queries } = await read([['old'], []], ['transaction.created', 'transaction.failed']);
    const types = 'type=transaction.created%2Ctransaction.failed';
    expect(queries).toEqual([`limit=1&${types}`, `order=asc&starting_after=old&${types}`]);
  });

  it('returns each event once, also one of another account that appears late', async () => {
    const { ids } = await read([['old'], ['a', 'c'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']]);
    expect(ids).toEqual(['a', 'c', 'b', 'd']);
  });

  it('moves on when no earlier event can appear any more', async () => {
    const now = jest.spyOn(performance, 'now');
    const pages: Response[] = [['old'], ['a'], ['a', 'b'], ['b', 'c']];
    let seconds = 0;
    now.mockImplementation(() => (seconds += 6) * 1_000);
    const { ids, queries } = await read(pages).finally(() => now.mockRestore());
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(queries.at(-1)).toBe('order=asc&starting_after=a');
  });

  it('goes on after errors, with longer waits and as late as the service asks', async () => {
    const unavailable = { status: 503, error: 'unavailable' };
    const limited = { status: 429, error: 'rate_limited', headers: { 'Retry-After': '60' } };
    const { ids } = await read([
      ['old'],
      'cut',
      unavailable,
      unavailable,
      limited,
      ['a'],
      unavailable,
      ['a'],
    ]);
    expect(ids).toEqual(['a']);
    expect(waits).toEqual([1_000, 2_000, 4_000, 60_000, 1_000, 1_000, 1_000]);
    expect(notices).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ does not respond \(\w+\)\. Trying again\.$/),
      'The service responds again.',
      'It is unavailable. Trying again.',
      'The service responds again.',
    ]);
  });

  it('waits for 30 seconds at most', async () => {
    const failures = Array.from({ length: 7 }, () => ({ status: 500, error: 'internal' }));
    await read([['old'], ...failures, []]);
    expect(waits.slice(4)).toEqual([16_000, 30_000, 30_000, 1_000]);
  });

  it('loses no event of a page when the next one fails', async () => {
    const { ids, queries } = await read([['old'], ['a', 'more'], 'cut', ['a', 'b']]);
    expect(ids).toEqual(['a', 'b']);
    expect(queries.at(-1)).toBe('order=asc&starting_after=old');
  });

  it('begins again with the oldest event when those after its place were deleted', async () => {
    const { ids, queries } = await read([['old'], { status: 410, error: 'cursor_expired' }, ['x']]);
    expect(ids).toEqual(['x']);
    expect(queries.at(-1)).toBe('order=asc');
    expect(notices).toEqual([
      'Events that were not read yet have been deleted. Going on with the oldest event.',
    ]);
  });

  it.each([
    ['at its beginning', [{ status: 401, error: 'unauthorized' }]],
    ['later', [['old'], { status: 401, error: 'unauthorized' }]],
  ] as [string, Response[]][])('ends with an error that stays, %s', async (_, responses) => {
    await expect(read(responses)).rejects.toThrow('It is unauthorized.');
  });
});
