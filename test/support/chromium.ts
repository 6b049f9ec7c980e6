import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Browser, chromium } from 'playwright-core';

const found = spawnSync(process.execPath, [join(__dirname, 'find-chromium.mjs')], {
  encoding: 'utf8',
}).stdout;

/** Whether there is a browser for the tests that need one. */
export const hasChromium = found !== '';

/** A real browser without a window. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu'] });
}
