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
import { demoSchool, SCHOOL_PEOPLE } from './school.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
  await demoSchool(fixture, { weeks_back: 1, weeks_ahead: 1 });
});
afterAll(() => fixture?.stop());

/** What a desk of 1280 by 800 shows at 200 %. */
const ZOOMED = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };

/** What opens a dialog on a screen; of others that the navigation has, there is nothing to declare. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  '/today': ['.person-button', '.hours button.waiting'],
  '/timetable': ['.day .lesson', 'main header .button.main', '.filters button'],
  '/lessons': ['main header button', '.button.ask'],
  '/roll-call': ['.student .who'],
};
/** A tab has none of its own. */
const openersOf = (path: string): readonly string[] =>
  path.includes('?') ? [] : (OPENERS[`/${path.split('/')[1]}`] ?? []);
const TABS = ['leave', 'hours', 'practice'].map((tab) => `/lessons?tab=${tab}`);
/** Screens that no navigation has: the roll call of the last lesson that began, and the tabs of a screen. */
const innerOf = async (who: keyof typeof SCHOOL_PEOPLE): Promise<readonly string[]> => {
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

/** All is there, nothing bars the way, and the keyboard's focus is seen wherever it goes. */
const look = async (page: Page, where: string): Promise<void> => {
  expect(await cutOff(page), where).toEqual([]);
  await expectNoAxeViolations(page);
  await tabThrough(page);
};

/** A screen, and what each of its dialogs shows. */
const lookAt = async (page: Page, path: string): Promise<void> => {
  await page.goto(new URL(path, page.url()).href);
  await settled(page);
  await look(page, path);
  for (const opener of openersOf(path)) {
    await page.locator(opener).first().click();
    await page.locator('dialog[open]').waitFor();
    await settled(page);
    await look(page, `${path}, ${opener}`);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
};

const PEOPLE = ['office', 'teacher', 'student', 'guardian'] as const;

it.for(APPEARANCES.flatMap((as) => PEOPLE.map((who) => [who, as] as const)))(
  'shows all of each screen at twice the size: %s, %s',
  ([who, [locale, colorScheme]], context) =>
    browserTest(async (stage) => {
      const page = await openConsole(stage, fixture, SCHOOL_PEOPLE[who], { ...ZOOMED, locale, colorScheme });
      const screens = await page
        .locator('nav a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      expect(screens).not.toEqual([]);
      for (const path of [...screens, ...(await innerOf(who))]) await lookAt(page, path ?? '/');
    })(context),
);
