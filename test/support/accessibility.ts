import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import { Page } from 'playwright-core';

/** The minified one loads in two thirds of the time. */
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const WCAG_2_2_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** A dialog that is fading in has too little contrast. What moves for ever, such as a sign of loading, is not waited for. */
const ANIMATIONS_END = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished)).then(() => null)`;

/** Returns what axe finds against WCAG 2.2 AA and its best practices. */
export async function violations(page: Page, rules = [...WCAG_2_2_AA, 'best-practice']): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules });
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${axe}; null`);
  await page.evaluate(ANIMATIONS_END);
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Whether the page is wider than its viewport. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
