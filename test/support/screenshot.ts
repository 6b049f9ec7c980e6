import { join } from 'node:path';
import { Page } from 'playwright-core';

/**
 * Takes a screenshot of a page for people to look at, in the folder that SCREENSHOTS names. It does nothing without one,
 * so that no test depends on an image: Chromium does not always produce one on a busy machine.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) {
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
}
