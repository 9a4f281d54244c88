import { lessonCalls } from '@teaching/contracts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { cutOff } from '../../../tools/developers/browser/cut.ts';
import { tabThrough } from '../../../tools/developers/browser/keys.ts';
import { type Look, LOOKS } from '../../../tools/developers/browser/looks.ts';
import { settled } from '../../../tools/developers/browser/settled.ts';
import { type Stage, story } from '../../../tools/developers/browser/story.ts';
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

/** A screen: whose, where, and what opens dialogs on it. */
type Place = readonly [who: keyof typeof SCHOOL_PEOPLE, path: string, dialogs: readonly string[]];
const ROLL_CALL = '/roll-call/:lesson_id';
const LESSONS: readonly (readonly [path: string, dialogs: readonly string[]])[] = [
  ['/lessons', ['main header button', '.button.ask']],
  ...['leave', 'hours', 'practice'].map((tab) => [`/lessons?tab=${tab}`, []] as const),
];
const PLACES: readonly Place[] = [
  ['office', '/today', ['.person-button', '.hours button.waiting']],
  ['office', '/timetable', ['.day .lesson', 'main header .button.main', '.filters button']],
  ['office', ROLL_CALL, ['.student .who']],
  ['teacher', '/week', []],
  ['teacher', ROLL_CALL, ['.student .who']],
  ...LESSONS.map((place) => ['student', ...place] as const),
  ...LESSONS.map((place) => ['guardian', ...place] as const),
];

/** All is there, nothing bars the way, and the keyboard's focus is seen wherever it goes. */
const look = async (page: Page): Promise<void> => {
  expect(await cutOff(page)).toEqual([]);
  await expectNoAxeViolations(page);
  await tabThrough(page);
};

/** With the last lesson that began, where the screen is about one. */
const open = async (stage: Stage, who: Place[0], path: string, [locale, colorScheme]: Look): Promise<Page> => {
  const query = {
    teacher_id: SCHOOL_PEOPLE.teacher.sub,
    to: new Date().toISOString(),
    sort: '-starts_at' as const,
    limit: '1',
  };
  const [lesson] = (await fixture.as(SCHOOL_PEOPLE.office).ok(lessonCalls.listLessons, { query })).items;
  const visit = { ...ZOOMED, locale, colorScheme, path: path.replace(':lesson_id', lesson?.id ?? '') };
  return openConsole(stage, fixture, SCHOOL_PEOPLE[who], visit);
};

it.for(LOOKS.flatMap((as) => PLACES.map(([who, path, dialogs]) => [who, path, as, dialogs] as const)))(
  'shows all at twice the size: %s, %s, %s',
  ([who, path, as, dialogs], context) =>
    story(async (stage) => {
      const page = await open(stage, who, path, as);
      await look(page);
      for (const opener of dialogs) {
        await page.locator(opener).first().click();
        await page.locator('dialog[open]').waitFor();
        await settled(page);
        await look(page);
        await page.keyboard.press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
      }
    })(context),
);
