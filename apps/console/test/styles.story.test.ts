import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { story } from '../../../tools/developers/browser/story.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { classroom } from './classroom.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const LOADED_MS = 10_000;
const SCREENS = ['today', 'timetable', 'week', 'lessons'];

/** Of each element of a screen, how it is drawn. */
const drawn = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main *')].map((it) => {
    const { display, gap, padding, margin, fontSize, color } = getComputedStyle(it);
    return [it.tagName, it.className, display, gap, padding, margin, fontSize, color].join(' ');
  })`);

it.for(SCREENS)('are those of the screen, wherever one comes from: %s', (screen, context) =>
  story(async (stage) => {
    const { org } = await classroom(fixture, 1);
    const person = { role: ['SUPERVISOR', 'TEACHER', 'STUDENT'], sub: 's-00', org } as const;
    const expected = await drawn(await openConsole(stage, fixture, person, { path: `/${screen}` }));
    for (const other of SCREENS.filter((one) => one !== screen)) {
      const page = await openConsole(stage, fixture, person, { path: `/${other}` });
      await page.locator(`nav a[href="/${screen}"]`).click();
      await expect.poll(() => drawn(page), { message: `after ${other}`, timeout: LOADED_MS }).toEqual(expected);
    }
  })(context),
);
