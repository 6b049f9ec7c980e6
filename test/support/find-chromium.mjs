// Prints where a Chromium stands that runs on this machine: the one that a package of the project brings, else the
// system's. Prints nothing when none runs. A process of its own, since the package is an ES module.
import { spawnSync } from 'node:child_process';

/** @returns {Promise<string | null>} */
const packaged = async () => {
  try {
    return await (await import('@sparticuz/chromium')).default.executablePath();
  } catch {
    return null; // it has no binary for this system
  }
};

const runs = (path) =>
  path && spawnSync(path, ['--version', '--no-sandbox'], { timeout: 10_000 }).status === 0;

const candidates = [
  packaged,
  async () => '/usr/bin/chromium',
  async () => '/usr/bin/chromium-browser',
  async () => '/usr/bin/google-chrome',
];
for (const candidate of candidates) {
  const path = await candidate();
  if (runs(path)) {
    process.stdout.write(path);
    break;
  }
}
