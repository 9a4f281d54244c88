import { lessonCalls } from '@teaching/contracts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { cutOff } from '../../../tools/developers/browser/cut-off-text.ts';
import { tabThrough } from '../../../tools/developers/browser/keys.ts';
import { APPEARANCES } from '../../../tools/developers/browser/appearance.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { createDemoSchool, SCHOOL_PEOPLE } from './school.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
  await createDemoSchool(fixture, { weeks_back: 1, weeks_ahead: 1 });
});
afterAll(() => fixture?.stop());

/** A desktop of 1280 × 800 pixels at 200 % zoom. */
const ZOOMED = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };

/** The elements that open a dialog, by screen. Screens that are not listed have none. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  '/today': ['.person-button', '.hours button.waiting'],
  '/timetable': ['.day .lesson', 'main header .button.main', '.filters button'],
  '/lessons': ['main header button', '.button.ask'],
  '/roll-call': ['.student .who'],
};
/** Tabs have no dialogs of their own. */
const openersOf = (path: string): readonly string[] =>
  path.includes('?') ? [] : (OPENERS[`/${path.split('/')[1]}`] ?? []);
const TABS = ['leave', 'hours', 'practice'].map((tab) => `/lessons?tab=${tab}`);
/** Screens that are not in the navigation: the roll call of the last lesson that began, and the tabs of a screen. */
const innerScreensOf = async (who: keyof typeof SCHOOL_PEOPLE): Promise<readonly string[]> => {
  if (who === 'student' || who === 'guardian') return TABS;
  const query = {
    teacher_id: SCHOOL_PEOPLE.teacher.sub,
    to: new Date().toISOString(),
    sort: '-starts_at' as const,
    limit: '1',
  };
  const [lesson] = (await fixture.as(SCHOOL_PEOPLE.office).ok(lessonCalls.listLessons, { query })).items;
  return [`/roll-call/${lesson?.id}`];
};

/** Checks that no text is cut off, that axe finds no violations, and that the keyboard focus is always visible. */
const checkPage = async (page: Page, where: string): Promise<void> => {
  expect(await cutOff(page), where).toEqual([]);
  await expectNoAxeViolations(page);
  await tabThrough(page);
};

/** Checks a screen and each of its dialogs. */
const checkScreen = async (page: Page, path: string): Promise<void> => {
  await page.goto(new URL(path, page.url()).href);
  await settled(page);
  await checkPage(page, path);
  for (const opener of openersOf(path)) {
    await page.locator(opener).first().click();
    await page.locator('dialog[open]').waitFor();
    await settled(page);
    await checkPage(page, `${path}, ${opener}`);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    // The browser goes back from the entry of the dialog, which would abort the next navigation.
    await expect.poll(() => page.evaluate('history.state?.dialogs ?? 0')).toBe(0);
  }
};

const PEOPLE = ['office', 'teacher', 'student', 'guardian'] as const;

it.for(APPEARANCES.flatMap((as) => PEOPLE.map((who) => [who, as] as const)))(
  'shows all content at 200 % zoom: %s, %s',
  ([who, [locale, colorScheme]], context) =>
    browserTest(async (stage) => {
      const page = await openConsole(stage, fixture, SCHOOL_PEOPLE[who], { ...ZOOMED, locale, colorScheme });
      const screens = await page
        .locator('nav a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      expect(screens).not.toEqual([]);
      for (const path of [...screens, ...(await innerScreensOf(who))]) await checkScreen(page, path ?? '/');
    })(context),
);
