import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createDatabase, dropDatabase } from '../support/databases';
import { ROOT } from '../support/planted-tree';

/** What `npm start` needs: it builds the service first. */
const COPIED = [
  'client/README.md',
  'docs',
  'migrations',
  'nest-cli.json',
  'ormconfig.ts',
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  '.swcrc',
  'tsconfig.json',
];

const BUILD_AND_START_MS = 120_000;
const STOP_MS = 10_000;

describe('npm start', () => {
  let folder: string;
  let npm: ChildProcess | undefined;
  let database: { name: string; url: string };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countinghouse-npm-start-'));
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    database = await createDatabase();
  });
  afterAll(async () => {
    if (npm?.pid !== undefined) killGroup(npm.pid);
    await dropDatabase(database.name);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  it(
    'stops the service on SIGTERM, and ends after it',
    async () => {
      const child = spawn('npm', ['start'], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          HOME: folder,
          PORT: '0',
          DATABASE_URL: database.url,
          JWT_SECRETS: 'a secret that is only used in this test',
        },
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true, // a group of its own, which is killed if the test fails
      });
      npm = child;
      let url = '';
      for await (const line of createInterface({ input: child.stdout })) {
        url = /listens on (\S+)/.exec(line)?.[1] ?? '';
        if (url !== '') break;
      }
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);

      const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
      child.kill('SIGTERM');
      await ended;
      await expect(fetch(`${url}/health/live`)).rejects.toThrow('fetch failed');
    },
    BUILD_AND_START_MS + STOP_MS,
  );
});

/** Ends what a failed test leaves behind. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
