// Builds what has changed since the last build, then runs the service, or the entry of src/ that is named, in this
// process, so that signals reach it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** Identifies what a build is made from. */
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

const wanted = inputs();
if (lastBuild() !== wanted) {
  const nest = createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
  const build = spawnSync(process.execPath, [nest, 'build'], { cwd: root, encoding: 'utf8' });
  if (build.status !== 0) {
    process.stderr.write(`${build.stdout}${build.stderr}`);
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
await import(`../dist/src/${process.argv[2] ?? 'main'}.js`);
