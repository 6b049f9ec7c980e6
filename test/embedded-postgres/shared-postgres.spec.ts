import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { Compiled } from '../support/compiled';
import { until } from '../support/until';

/** A process that uses the shared server until its standard input ends. It prints the address. */
const USER = `
require(process.argv[1]).useSharedPostgres().then((server) => {
  console.log(server.urlOf('postgres'));
  process.stdin.resume().on('end', () => server.release().then(() => process.exit()));
});`;

let compiled: Compiled;
const users: ChildProcess[] = [];

beforeAll(() => {
  compiled = new Compiled();
});
afterAll(() => {
  for (const user of users) user.kill('SIGKILL');
  compiled.stop();
});

function aUser(): ChildProcess {
  const file = join(compiled.folder, 'src', 'embedded-postgres', 'temporary-postgres.js');
  const user = spawn(process.execPath, ['-e', USER, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  users.push(user);
  return user;
}

async function addressOf(user: ChildProcess): Promise<string> {
  for await (const line of createInterface(user.stdout!)) return line;
  throw new Error('The process has ended.');
}

async function valueOf(url: string, sql: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ value: string }>(sql);
  await client.end();
  return rows[0]!.value;
}

describe('The shared PostgreSQL', () => {
  it('is one for processes that begin together, and ends with its folder after the last, also when all are killed', async () => {
    const together = [aUser(), aUser(), aUser()];
    const [url, ...others] = await Promise.all(together.map(addressOf));
    expect(others).toEqual([url, url]);
    const started = await valueOf(url!, 'SELECT pg_postmaster_start_time()::text AS value');
    const home = dirname(await valueOf(url!, "SELECT current_setting('data_directory') AS value"));
    for (const user of together) {
      user.kill('SIGKILL');
      await once(user, 'exit');
    }
    const last = aUser();
    expect(await valueOf(await addressOf(last), 'SELECT pg_postmaster_start_time()::text AS value')).toBe(
      started,
    );
    last.stdin!.end();
    await once(last, 'exit');
    expect(await until(async () => !existsSync(home))).toBe(true);
    await expect(valueOf(url!, 'SELECT 1 AS value')).rejects.toThrow();
  });
});
