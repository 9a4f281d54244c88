import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lessonCalls, rollCallCalls, seriesCalls } from '@teaching/contracts';
import { expectNoAxeViolations } from '../../../../tools/developers/browser/axe.ts';
import { APPEARANCES } from '../../../../tools/developers/browser/appearance.ts';
import { openConsole, WITH_CONSOLE } from '../../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../../tools/developers/browser/device.ts';
import { logInAs } from '../../../../tools/developers/browser/log-in-as.ts';
import { isFocused } from '../../../../tools/developers/browser/keys.ts';
import { browserTest } from '../../../../tools/developers/browser/browser-test.ts';
import { clazzWith, lessonAt } from '../../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../../tools/proofs/test/fixture.ts';
import { type Classroom, createClassroom } from '../../test/classroom.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
const lessonOf = (page: Page, id: string) => page.locator(`[data-lesson="${id}"]`);

/**
 * A week with a missing roll call, a running, a moved, a longer and a cancelled lesson, a lesson as a substitute, and
 * one that was given to a substitute.
 */
const busyWeek = async (room: Classroom) => {
  const { asSupervisor, clazz_id, students } = room;
  const missing = await lessonAt(asSupervisor, clazz_id, inHours(-30));
  const over = await lessonAt(asSupervisor, clazz_id, inHours(-240));
  const moved = await lessonAt(asSupervisor, clazz_id, inHours(2));
  const cancelled = await lessonAt(asSupervisor, clazz_id, inHours(5));
  const other = await clazzWith(asSupervisor, students, { name: 'Chess', lead_teacher_id: 'wu' });
  const substitute = await lessonAt(asSupervisor, other, inHours(7));
  const longer = await lessonAt(asSupervisor, clazz_id, inHours(9));
  const given = await lessonAt(asSupervisor, clazz_id, inHours(12), { teacher_id: 'wu' });
  const change = (lesson_id: string, body: { teacher_id: string } | { ends_at: string }) =>
    asSupervisor.ok(seriesCalls.updateLesson, { path: { lesson_id }, body });
  await change(substitute.id, { teacher_id: 'li' });
  await change(longer.id, { ends_at: inHours(11) });
  await asSupervisor.ok(seriesCalls.updateLesson, {
    path: { lesson_id: moved.id },
    body: { starts_at: inHours(3), ends_at: inHours(4) },
  });
  await asSupervisor.ok(lessonCalls.cancelLesson, {
    path: { lesson_id: cancelled.id },
    body: { reason: 'Heating is out' },
  });
  return {
    missing: missing.id,
    over: over.id,
    moved: moved.id,
    cancelled: cancelled.id,
    substitute: substitute.id,
    longer: longer.id,
    given: given.id,
  };
};

it(
  'opens the roll call of the running lesson in one tap',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 3);
    const page = await openConsole(stage, fixture, room.teacher, { ...PHONE, path: '/week' });
    await lessonOf(page, room.lesson_id)
      .getByRole('link', { name: /^Roll call: English A1/ })
      .tap();
    await page.getByRole('heading', { name: 'Roll call: English A1' }).waitFor();
    await page.getByRole('button', { name: 'All present (3)' }).tap();
    await page.getByText('All saved').waitFor();
    await page.getByRole('link', { name: 'My week' }).first().tap();
    await lessonOf(page, room.lesson_id).getByText('3 of 3 present').waitFor();
  }),
);

it(
  'shows missing roll calls and lessons that are moved, longer, cancelled, given away or of another teacher',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 3);
    const made = await busyWeek(room);
    const page = await openConsole(stage, fixture, room.teacher, { path: '/week' });
    await page.getByRole('heading', { name: 'Roll calls missing' }).waitFor();
    expect(await page.locator(`.missing a[href="/roll-call/${made.missing}"]`).textContent()).toContain(
      '3 students not marked',
    );
    await page.getByText('1 roll call: only the office can take it now').click();
    await page.locator(`.missing details a[href="/roll-call/${made.over}"]`).waitFor();
    // Late in the evening a lesson may be on the next day, or in the next week.
    const next = page.getByRole('button', { name: 'Next week' });
    const find = async (id: string) => {
      if ((await lessonOf(page, id).count()) === 0) await next.click();
      return lessonOf(page, id);
    };
    await (await find(made.moved)).getByText(/^moved from/).waitFor();
    const cancelled = await find(made.cancelled);
    await cancelled.getByText('Cancelled: Heating is out').waitFor();
    const struck = `getComputedStyle(document.querySelector('[data-lesson="${made.cancelled}"] h3')).textDecorationLine`;
    expect(await page.evaluate(struck)).toBe('line-through');
    expect(await cancelled.getByRole('link').count()).toBe(0);
    const substitute = await find(made.substitute);
    await substitute.getByText('You substitute for Wu Jun').waitFor();
    expect(await substitute.getByText('changed recently').count()).toBe(0);
    await (await find(made.longer)).getByText(/^was \d\d:\d\d–\d\d:\d\d$/).waitFor();
    const given = await find(made.given);
    await given.getByText('Given to Wu Jun').waitFor();
    expect(await given.getByText('Topic and homework').count()).toBe(0);
  }),
);

it(
  'loads more missing roll calls below the shown ones, and keeps the focus',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 1);
    for (let lesson = 1; lesson <= 22; lesson += 1)
      await lessonAt(room.asSupervisor, room.clazz_id, inHours(-2 * lesson));
    const page = await openConsole(stage, fixture, room.teacher, { path: '/week' });
    const missing = page.locator('.missing');
    await missing.getByText('Show more').focus();
    const [release, isRequested] = [Promise.withResolvers<void>(), page.waitForRequest('**/roll-call/missing?*')];
    await page.route('**/roll-call/missing?*', async (route) => {
      await release.promise;
      return route.fallback();
    });
    await page.keyboard.press('Enter');
    await isRequested;
    expect(await missing.getByRole('link').count()).toBe(20);
    release.resolve();
    await expect.poll(() => missing.getByRole('link').count()).toBe(22);
    await expect.poll(() => isFocused(page, page.getByRole('heading', { name: 'Roll calls missing' }))).toBe(true);
  }),
);

it(
  'saves topic and homework in place, keeps them in a draft, and does not overwrite a change of another person',
  browserTest(async (stage) => {
    stage.allow(/answered 412/);
    const room = await createClassroom(fixture, 1);
    const page = await openConsole(stage, fixture, room.teacher, { path: '/week' });
    const lesson = lessonOf(page, room.lesson_id);
    await lesson.getByText('Topic and homework').click();
    await lesson.locator('input:focus').waitFor();
    await page.keyboard.type('Past tense');
    await page.getByLabel('Homework').fill('Page 12');
    await lesson.getByRole('link').click();
    await page.waitForURL('**/roll-call/**');
    await page.goBack();
    await lesson.getByText('Topic and homework').click();
    await lesson.getByText('Your draft is restored').waitFor();
    expect(await page.getByLabel('Topic').inputValue()).toBe('Past tense');
    await page.getByRole('button', { name: 'Save' }).click();
    await lesson.getByText('Past tense').waitFor();
    await lesson.getByText('Homework: Page 12').click();
    await room.asSupervisor.ok(seriesCalls.updateLesson, {
      path: { lesson_id: room.lesson_id },
      body: { topic: 'Future' },
    });
    await page.getByLabel('Topic').fill('Present');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It was changed meanwhile').waitFor();
    await page.getByText('Current text: Future').waitFor();
    await page.keyboard.press('Escape');
    await lesson.getByText('Future').waitFor();
  }),
);

it(
  'shows at once that another person has taken the roll call',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 1);
    const page = await openConsole(stage, fixture, room.teacher, { path: '/week' });
    await room.asSupervisor.ok(rollCallCalls.submitRollCall, {
      path: { lesson_id: room.lesson_id },
      body: { marks: [{ student_id: 's-00', mark: 'present' }] },
    });
    await lessonOf(page, room.lesson_id).getByText('1 of 1 present').waitFor();
  }),
);

it(
  'labels the days before today, jumps to a date, and returns from a roll call to the week that was shown',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 1);
    const page = await stage.open();
    await logInAs(page, fixture.token(room.teacher));
    // A Friday.
    await page.clock.setSystemTime('2030-11-29T09:00:00Z');
    const lesson = await lessonAt(room.asSupervisor, room.clazz_id, '2030-12-03T09:00:00Z');
    await page.goto(`${fixture.address}/week`);
    const headings = page.getByRole('main').getByRole('heading', { level: 2 });
    await headings.filter({ hasText: 'Earlier this week' }).waitFor();
    const texts = await headings.allTextContents();
    expect(texts.indexOf('Earlier this week')).toBe(3);
    await page.getByLabel('Go to date').fill('2030-12-12');
    await page.getByText('No lessons in this week').waitFor();
    await page.getByRole('button', { name: 'Previous week' }).click();
    await lessonOf(page, lesson.id).getByRole('link').click();
    await page.getByRole('heading', { name: 'Roll call: English A1' }).waitFor();
    await page.reload();
    await page.getByRole('main').getByRole('link', { name: 'My week' }).click();
    await lessonOf(page, lesson.id).waitFor();
  }),
);

it.for(APPEARANCES)('has no axe violations: %s, %s', ([locale, colorScheme], context) =>
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 12);
    await busyWeek(room);
    for (const size of [{}, PHONE]) {
      const page = await openConsole(stage, fixture, room.teacher, { ...size, locale, colorScheme, path: '/week' });
      await page.locator('.missing').waitFor();
      await expectNoAxeViolations(page);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    }
  })(context),
);

it(
  'shows this week if the address contains an invalid date',
  browserTest(async (stage) => {
    const { teacher } = await createClassroom(fixture, 1);
    const page = await openConsole(stage, fixture, teacher, { path: '/week?date=2026-13-45' });
    await page.getByRole('button', { name: 'This week' }).and(page.locator(':disabled')).waitFor();
  }),
);
