// Runs examples/testing, the tests that users copy, with the runners that its package.json names. Jest and Countinghouse
// are those of this checkout, which must be built; only Vitest and the runner of Playwright are downloaded.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { devDependencies, ...manifest } = JSON.parse(readFileSync('examples/testing/package.json', 'utf8'));
const downloaded = ['vitest', '@playwright/test'].map((name) => `${name}@${devDependencies[name]}`);

const chromium = execFileSync('node', ['test/support/find-chromium.mjs'], { encoding: 'utf8' });
const folder = mkdtempSync(join(tmpdir(), 'countinghouse-testing-'));
// For root, the embedded PostgreSQL runs as another user, who must be able to enter the folder.
chmodSync(folder, 0o711);
const run = (command, args) =>
  execFileSync(command, args, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, CHROMIUM_PATH: chromium, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
  });
try {
  cpSync('examples/testing', folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const modules = join(folder, 'node_modules');
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--silent', ...downloaded]);
  execFileSync('node', ['scripts/client/build.mjs'], { stdio: 'inherit' });
  symlinkSync(process.cwd(), join(modules, 'countinghouse'));
  symlinkSync(join(process.cwd(), 'client'), join(modules, 'countinghouse-client'));
  symlinkSync(join(process.cwd(), 'node_modules/jest'), join(modules, 'jest'));
  symlinkSync('../jest/bin/jest.js', join(modules, '.bin/jest'));
  run('npm', ['run', '--silent', 'test:vitest']);
  run('npm', ['run', '--silent', 'test:jest']);
  if (chromium === '') console.log('Playwright: skipped, because no Chromium runs on this machine');
  else run('npm', ['run', '--silent', 'test:playwright']);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}
