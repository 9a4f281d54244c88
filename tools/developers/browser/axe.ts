import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 AA, and axe's best practices. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];

const RUN = `axe.run(document, ${JSON.stringify({ runOnly: TAGS, resultTypes: ['violations'] })})`;

const described = ({ id, impact, help, helpUrl, nodes }: Result): string =>
  [
    `${id} (${impact ?? 'minor'}): ${help}`,
    ...nodes.map(
      ({ target, failureSummary = '' }) => `  ${target.join(' ')}\n    ${failureSummary.replaceAll('\n', '\n    ')}`,
    ),
    `  ${helpUrl}`,
  ].join('\n');

/** Findings of axe-core on a page, described. It runs through the debugger, which no content security policy blocks. */
export const axeViolations = async (page: Page): Promise<string[]> => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(RUN);
  return violations.map(described);
};

/** Throws with rule, place and help of all that axe-core finds. */
export const expectNoAxeViolations = async (page: Page): Promise<void> => {
  const found = await axeViolations(page);
  if (found.length > 0) throw new Error(`axe finds on ${page.url()}:\n${found.join('\n')}`);
};
