import type { Page } from 'playwright-core';

const SETTLED_MS = 60_000;

/** Resolves when a screen of the console shows its data: its title is there, nothing is loading, and fonts are loaded. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('main:not(.slow) h1').first().waitFor({ timeout: SETTLED_MS });
  await page
    .locator('main :is(.skeleton, [aria-busy=true])')
    .first()
    .waitFor({ state: 'detached', timeout: SETTLED_MS });
  await page.evaluate(
    'document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))',
  );
};
