import { Client, Pool } from 'pg';
import { PreparingClient, prepared } from '../../../src/platform/database/engine/connection';
import { Alarm, WakeUps } from '../../../src/platform/database/wake-ups';
import { startTestDatabase, TestDatabase } from '../../support/database';
import { eventually } from '../../support/until';

let database: TestDatabase;
let pools: Pool[];
let stopping: AbortController;
let watching: Promise<void>[];
let here: WakeUps;
let there: WakeUps;
let alarms: Record<'jarsHere' | 'lidsHere' | 'jarsThere' | 'lidsThere', Alarm>;

beforeAll(async () => {
  database = await startTestDatabase();
});
beforeEach(async () => {
  stopping = new AbortController();
  pools = [1, 1].map((max) => new Pool({ ...database.pool.options, max }));
  for (const pool of pools) pool.on('error', () => undefined); // the end of the database may come first
  [here, there] = pools.map((pool) => new WakeUps(pool)) as [WakeUps, WakeUps];
  alarms = {
    jarsHere: here.alarmFor(['jars']),
    lidsHere: here.alarmFor(['lids']),
    jarsThere: there.alarmFor(['jars']),
    lidsThere: there.alarmFor(['lids']),
  };
  watching = [here, there].map((wakeUps) => wakeUps.watch(stopping.signal));
  await eventually(() => rung()).toHaveLength(4); // the first look rings in any case
  for (const alarm of Object.values(alarms)) alarm.reset();
});
afterEach(async () => {
  stopping.abort();
  await Promise.all(watching);
  await Promise.all(pools.map((pool) => pool.end()));
});
afterAll(() => database.stop());

const rung = (): string[] =>
  Object.entries(alarms)
    .filter(([, { signal }]) => signal.aborted)
    .map(([name]) => name);

describe('A write', () => {
  it('rings at once for its tables in its process, and for all in others', async () => {
    here.wrote(new Set(['jars', 'other']));
    expect(rung()).toEqual(['jarsHere']);
    await eventually(() => rung()).toEqual(['jarsHere', 'jarsThere', 'lidsThere']);
  });

  it('rings again when the first ones are announced', async () => {
    here.wrote(new Set(['jars']));
    await eventually(() => rung()).toHaveLength(3);
    for (const alarm of Object.values(alarms)) alarm.reset();
    here.wrote(new Set(['lids']));
    await eventually(() => rung()).toEqual(['lidsHere', 'jarsThere', 'lidsThere']);
  });

  it('to tables that concern no task is not announced', async () => {
    const announced = jest.spyOn(pools[0]!, 'query');
    here.wrote(new Set(['other']));
    expect(announced).not.toHaveBeenCalled();
  });
});

it('rings for all while the counter cannot be read, so that nothing waits for it', async () => {
  jest.spyOn(pools[0]!, 'query').mockRejectedValue(new Error('permission denied') as never);
  await eventually(() => rung()).toEqual(['jarsHere', 'lidsHere']);
});

describe('A connection', () => {
  it.each([
    ['INSERT INTO jars (id, beans) VALUES ($1, $2)', ['jars']],
    ['UPDATE "jars" SET beans = $2 WHERE id = $1', ['jars']],
    [
      'WITH changed AS (UPDATE jars SET beans = $2 WHERE id = $1 RETURNING id) SELECT id FROM changed',
      ['jars'],
    ],
    ['SELECT id, $2::int AS beans FROM jars WHERE id = $1 FOR UPDATE', []],
    ['DELETE FROM jars WHERE id = $1 AND beans = $2', []],
  ])('knows what it has written: %s', async (sql, tables) => {
    const client = new PreparingClient(database.pool.options) as Client & PreparingClient;
    client.on('error', () => undefined); // the end of the database may come before that of the client
    await client.connect();
    await client.query(prepared(sql, [1, 2]));
    expect([...client.takeWritten()]).toEqual(tables);
    await client.query(sql, [1, 2]).catch(() => undefined);
    expect([...client.takeWritten()]).toEqual(tables);
    expect([...client.takeWritten()]).toEqual([]);
    await client.end();
  });
});
