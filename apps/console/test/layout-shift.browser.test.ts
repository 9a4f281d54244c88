import type { Page } from 'playwright-core';
import { jihuaCalls, policyCalls } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { logInAs } from '../../../tools/developers/browser/log-in-as.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { startStopwatch } from '../../../tools/developers/browser/stopwatch.ts';
import { type Stage, browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { lessonAt } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, type Person, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type Classroom, createClassroom } from './classroom.ts';

let fixture: Fixture;
let room: Classroom;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
  room = await createClassroom(fixture, 3);
  await room.asSupervisor.ok(policyCalls.putPolicy, { body: { org_name: 'Puente' } });
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  const runs = { starts_on: inDays(-3).slice(0, 10), ends_on: inDays(9).slice(0, 10), zone: 'UTC' };
  await room.asSupervisor.ok(jihuaCalls.createJihua, { body: { title: 'Read aloud', ...runs, student_ids: ['s-00'] } });
  for (const days of [-2, -1, 1, 2]) await lessonAt(room.asSupervisor, room.clazz_id, inDays(days), { room: 'Lab' });
});
afterAll(() => fixture?.stop());

/** Removes the limit of waiting for the slowest request (timers above one second), in this test only. */
const WAIT_FOR_SLOWEST = `{
  const soon = window.setTimeout;
  window.setTimeout = (then, ms, ...more) => (ms > 1_000 ? 0 : soon(then, ms, ...more));
}`;

/** Delays an answer until the page has painted all the others. */
const delayAnswer = async (page: Page, late: string, untilPainted: () => Promise<void>): Promise<void> => {
  await page.route(late, async (route) => {
    const response = await route.fetch();
    await untilPainted();
    await route.fulfill({ response });
  });
};

/** Opens a start page on which one answer arrives last. Returns the layout shifts. */
const shiftsWithLateAnswer = async (stage: Stage, person: Person, late: string) => {
  const page = await stage.open(PHONE);
  await page.addInitScript(WAIT_FOR_SLOWEST);
  const stopwatch = await startStopwatch(page);
  await logInAs(page, fixture.token(person));
  await delayAnswer(page, late, async () => {
    await page.locator('main h1').waitFor();
    await stopwatch.shifts();
  });
  const answered = page.waitForResponse(late);
  await page.goto(fixture.address);
  await answered;
  await settled(page);
  return stopwatch.shifts();
};

it.for([
  ['missing roll calls', 'teacher', '**/roll-call/missing?*', '.missing'],
  ['lessons of the week', 'teacher', '**/lesson/my?*', '.week'],
  ['lessons', 'student', '**/clazz/lesson?*', '.days'],
  ['plans', 'student', '**/jihua?*', '.days'],
] as const)('moves nothing when the answer with %s arrives last', ([, who, late], context) =>
  browserTest(async (stage) => {
    const person = who === 'teacher' ? room.teacher : { role: 'STUDENT' as const, sub: 's-00', org: room.org };
    expect(await shiftsWithLateAnswer(stage, person, late)).toEqual([]);
  })(context),
);
