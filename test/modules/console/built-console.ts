import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../../support/planted-tree';

const built = join(ROOT, 'console', 'dist');

/** Builds the console where the service finds it. */
export function buildConsole(): void {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', 'console', '--logLevel', 'error'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error(stderr);
}

/** The bytes that a browser loads for the first page, compressed: the page and what it names. */
export function firstPageBytes(): number {
  const page = readFileSync(join(built, 'index.html'), 'utf8');
  const named = [...page.matchAll(/\/console\/(assets\/[\w.-]+)/g)].map(([, file]) => file!);
  expect(named.length).toBeGreaterThanOrEqual(2);
  const files = ['index.html', ...named].map((file) => readFileSync(join(built, file)));
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0);
}

/** The names of the built assets. */
export function assets(): string[] {
  return readdirSync(join(built, 'assets'));
}
