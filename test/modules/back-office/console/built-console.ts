import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../../../support/planted-tree';

const built = join(ROOT, 'console', 'dist');

/** What the console is built from. */
const sources = [
  'console/index.html',
  'console/vite.config.mjs',
  'console/public',
  'console/src',
  'client/src',
];

/** Returns when the newest of the files and folders has changed. */
function newest(paths: readonly string[]): number {
  const times = paths.map((path) => {
    const stats = statSync(path);
    if (!stats.isDirectory()) return stats.mtimeMs;
    return Math.max(stats.mtimeMs, newest(readdirSync(path).map((name) => join(path, name))));
  });
  return Math.max(0, ...times);
}

/** Whether the build is newer than everything that it is built from. */
function isBuilt(): boolean {
  const page = join(built, 'index.html');
  return existsSync(page) && statSync(page).mtimeMs > newest(sources.map((path) => join(ROOT, path)));
}

/**
 * Builds the console where the service finds it, unless it is built. Files are added to those of another build and never removed, because
 * two suites may do this at the same time.
 */
export function buildConsole(): void {
  if (isBuilt()) return;
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-console-'));
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['--outDir', folder, '--emptyOutDir', '--logLevel', 'error'];
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', 'console', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  mkdirSync(join(built, 'assets'), { recursive: true });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  // The page comes last, because what it names must be there.
  for (const file of files.toSorted((one, other) => order(one.name) - order(other.name))) {
    if (file.isFile())
      replace(join(file.parentPath, file.name), join(built, relative(folder, file.parentPath), file.name));
  }
  rmSync(folder, { recursive: true });
}

const order = (name: string): number => (name === 'index.html' ? 1 : 0);

/** Copies a file so that whoever reads the target finds the old or the new content, and never a part. */
function replace(source: string, target: string): void {
  const partial = `${target}.${process.pid}`;
  copyFileSync(source, partial);
  renameSync(partial, target);
}

/** The names of the built assets. */
export function assets(): string[] {
  return readdirSync(join(built, 'assets'));
}
