import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Browser, chromium } from 'playwright-core';

const found = spawnSync(process.execPath, [join(__dirname, 'find-chromium.mjs')], {
  encoding: 'utf8',
}).stdout;

/** Whether a browser is available. Browser tests are skipped without one. */
export const hasChromium = found !== '';

/** Starts a headless browser. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu'] });
}
