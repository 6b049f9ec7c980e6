// Builds the service if its sources have changed since the last build, then runs it, or the command that the arguments
// name, in this process.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.inputs');
const require = createRequire(import.meta.url);

/** What the console is built from. A copy of the service may be without it. */
const consoleSources = [
  'console/index.html',
  'console/public',
  'console/src',
  'console/vite.config.mjs',
  'client/src',
];
const hasConsole = existsSync(join(root, 'console'));

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}

/** A hash of everything that the build reads. */
function inputs() {
  const hash = createHash('sha256');
  for (const source of [
    'src',
    'migrations',
    'ormconfig.ts',
    '.swcrc',
    'nest-cli.json',
    'package-lock.json',
    ...(hasConsole ? consoleSources : []),
  ]) {
    for (const file of filesIn(join(root, source))) hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function lastBuild() {
  if (hasConsole && !existsSync(join(root, 'console', 'dist', 'index.html'))) return null;
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return null; // never built
  }
}

const present = inputs();
if (lastBuild() !== present) {
  const vite = join(dirname(require.resolve('vite/package.json')), 'bin', 'vite.js');
  const builds = [
    [require.resolve('@nestjs/cli/bin/nest.js'), 'build'],
    ...(hasConsole ? [[vite, 'build', 'console', '--logLevel', 'error']] : []),
  ];
  try {
    await Promise.all(builds.map((build) => promisify(execFile)(process.execPath, build, { cwd: root })));
  } catch ({ stdout = '', stderr = '' }) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(1);
  }
  writeFileSync(stamp, present);
}
// Node.js 22 and later keep compiled code, so that the next start need not compile it. The cache is no more public than dist/.
module.enableCompileCache?.(join(root, 'dist', '.compile-cache'));
await import('../dist/src/main.js');
