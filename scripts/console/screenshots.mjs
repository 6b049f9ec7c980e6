// Takes the screenshots of the console in docs/images, of a service with sample data: `npm run console:screenshots`.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { fill } from './sample.mjs';

const { startCountinghouse } = createRequire(import.meta.url)('../../dist/src/testing/index.js');
const pathOf = (file) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

const viewport = { width: 1280, height: 800 };

/** What is shown, and what is there when it is complete. */
const shots = [
  { name: 'console-overview', path: '', complete: '.volume svg' },
  { name: 'console-account', path: 'accounts/{account}', complete: '.chart svg' },
];

async function take(browser, service, { email, password, accountId }, shot) {
  const { name, path, complete } = shot;
  const page = await browser.newPage({ viewport, locale: 'en-GB', timezoneId: 'Europe/London' });
  await page.clock.install({ time: service.clock.now() });
  await page.goto(`${service.url}/console/${path.replace('{account}', accountId)}`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.locator(complete).first().waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path: pathOf(`docs/images/${name}.png`) });
  await page.close();
  console.log(`docs/images/${name}.png`);
}

const { stdout: executablePath } = spawnSync(process.execPath, [pathOf('test/support/find-chromium.mjs')], {
  encoding: 'utf8',
});
if (executablePath === '') throw new Error('There is no Chromium on this machine.');
const service = await startCountinghouse();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const people = await fill(service);
  for (const shot of shots) await take(browser, service, people, shot);
} finally {
  await browser.close();
  await service.stop();
}
