// Builds the service if its sources have changed since the last build, then runs it, or the command that the arguments
// name, in this process.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.inputs');

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
  ]) {
    for (const file of filesIn(join(root, source))) hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function lastBuild() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return null; // never built
  }
}

const present = inputs();
if (lastBuild() !== present) {
  const nest = createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
  const build = spawnSync(process.execPath, [nest, 'build'], { cwd: root, encoding: 'utf8' });
  if (build.status !== 0) {
    process.stderr.write(`${build.stdout}${build.stderr}`);
    process.exit(1);
  }
  writeFileSync(stamp, present);
}
// Node.js 22 and later keep compiled code, so that the next start need not compile it. The cache is no more public than dist/.
module.enableCompileCache?.(join(root, 'dist', '.compile-cache'));
await import('../dist/src/main.js');
