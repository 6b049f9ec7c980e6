// Prints the path of a Chromium that runs on this machine: that of the npm package, or else one of the system. Prints
// nothing if there is none. A separate process, because the package is an ES module.
import { spawnSync } from 'node:child_process';

/** @returns {Promise<string | null>} */
const packaged = async () => {
  try {
    return await (await import('@sparticuz/chromium')).default.executablePath();
  } catch {
    return null; // the package has no binary for this platform
  }
};

const runs = (path) =>
  path && spawnSync(path, ['--version', '--no-sandbox'], { timeout: 60_000 }).status === 0;

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
