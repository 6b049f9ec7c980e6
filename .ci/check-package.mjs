// Checks the package that the walk-through of docs/extending.md has made, installed and run: it contains the compiled
// sources with their types and assets, the guides that the service shows, the console, and nothing else, and its program
// runs without an installation. The console of this checkout must be built.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

const run = (command, args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** The files of a folder and its subfolders, by their paths in it. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The files of the tarball that a source file is compiled to. */
function packed(source) {
  const built = `dist/${source}`;
  if (source.endsWith('.ts')) return [built.replace(/\.ts$/, '.js'), built.replace(/\.ts$/, '.d.ts')];
  return /\.(js|eta|css|json)$/.test(source) ? [built] : [];
}

const sources = ['src', 'migrations'].flatMap(filesIn).flatMap(packed);
const pages = readdirSync('docs').filter((file) => file.endsWith('.md'));
const guides = [
  'client/README.md',
  ...pages.map((file) => `docs/${file}`),
  ...['docs/guides', 'docs/images'].flatMap(filesIn),
];

const folder = mkdtempSync(join(tmpdir(), 'countinghouse-package-'));
try {
  run('tar', ['-xzf', 'artifacts/package.tgz', '-C', folder]);
  const unpacked = join(folder, 'package');
  const expected = [
    'LICENSE',
    'README.md',
    'package.json',
    ...filesIn('bin'),
    ...filesIn('console/dist'),
    ...sources,
    ...guides,
    ...filesIn('examples/module'),
  ];
  const actual = filesIn(unpacked).map((path) => relative(unpacked, path));
  const missing = expected.filter((path) => !actual.includes(path));
  const surplus = actual.filter((path) => !expected.includes(path));
  if (missing.length > 0 || surplus.length > 0) {
    throw new Error(`The tarball lacks [${missing.join(', ')}] and has [${surplus.join(', ')}] in addition.`);
  }
  console.log(`The package contains ${actual.length} files.`);

  symlinkSync(resolve('node_modules'), join(unpacked, 'node_modules'));
  const { bin, version } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  const program = join(unpacked, bin.countinghouse);
  const printed = run(process.execPath, [program, '--version']).trim();
  if (printed !== version) throw new Error(`The program prints ${printed} as the version ${version}.`);
  console.log(`The program of the package runs: countinghouse ${printed}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
