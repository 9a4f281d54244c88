import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { createClassroom } from './classroom.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const LOADED_MS = 10_000;

/** The computed style of each element of the screen. */
const computedStyles = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main *')].map((element) => {
    const { display, gap, padding, margin, fontSize, color } = getComputedStyle(element);
    return [element.tagName, element.className, display, gap, padding, margin, fontSize, color].join(' ');
  })`);

it(
  'shows each screen with its own styles, regardless of the screen opened before',
  browserTest(async (stage) => {
    const { org } = await createClassroom(fixture, 1);
    const person = { role: ['SUPERVISOR', 'TEACHER', 'STUDENT'], sub: 's-00', org } as const;
    const start = await openConsole(stage, fixture, person);
    const links = await start.locator('nav a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const screens: [path: string, expected: string[]][] = [];
    for (const path of links)
      screens.push([path, await computedStyles(await openConsole(stage, fixture, person, { path }))]);
    for (const [other] of screens) {
      for (const [screen, expected] of screens.filter(([path]) => path !== other)) {
        await start.goto(new URL(other, start.url()).href);
        await settled(start);
        await start.locator(`nav a[href="${screen}"]`).click();
        await expect
          .poll(() => computedStyles(start), { message: `${screen} after ${other}`, timeout: LOADED_MS })
          .toEqual(expected);
      }
    }
  }),
);
