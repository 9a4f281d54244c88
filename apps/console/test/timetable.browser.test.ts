import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import {
  clazzCalls,
  type Lesson,
  lessonCalls,
  memberCalls,
  policyCalls,
  rollCallCalls,
  roomCalls,
} from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { APPEARANCES } from '../../../tools/developers/browser/appearance.ts';
import { openConsole, type Visit, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { type Stage, browserTest } from '../../../tools/developers/browser/browser-test.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { clazzWith, lessonAt } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { expectUndone } from './org-state.ts';

/** A week without a clock change; Madrid is one hour ahead of UTC. */
const DATE = '2035-02-05';
const at = (day: number, time: string): string => new Date(`2035-02-0${day}T${time}:00+01:00`).toISOString();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], env: WITH_CONSOLE });
});
afterAll(() => fixture.stop());

interface Office {
  api: Api;
  algebra: string;
  piano: string;
  open: (stage: Stage, visit?: Visit) => Promise<Page>;
  /** A lesson of Algebra by Ada in the Lab. */
  lesson: (day: number, time: string) => Promise<Lesson>;
  now: (lesson: Pick<Lesson, 'id'>) => Promise<Lesson>;
}

/** An organization of its own with two classes, three teachers and two rooms. */
const newOffice = async (): Promise<Office> => {
  const org = randomUUID();
  const api = fixture.as({ role: 'SUPERVISOR', org });
  await api.ok(policyCalls.putPolicy, { body: { zone: 'Europe/Madrid' } });
  const teachers = { ada: 'Ada Byron', wang: '王芳', tom: 'Tom Okafor' };
  const members = [
    ...Object.entries(teachers).map(([user_id, display_name]) => ({ user_id, display_name, role: 'TEACHER' as const })),
    ...['mia', 'leo'].map((user_id) => ({ user_id, display_name: `Pupil ${user_id}`, role: 'STUDENT' as const })),
  ];
  await api.ok(memberCalls.putMembers, { body: { members } });
  for (const name of ['Lab', 'Studio']) await api.ok(roomCalls.createRoom, { body: { name, capacity: 8 } });
  const zone = 'Europe/Madrid';
  const algebra = await clazzWith(api, ['mia'], { name: 'Algebra', lead_teacher_id: 'ada', capacity: 1, zone });
  const piano = await clazzWith(api, ['leo'], { name: 'Piano', lead_teacher_id: 'wang', zone });
  return {
    api,
    algebra,
    piano,
    open: (stage, visit = {}) =>
      openConsole(
        stage,
        fixture,
        {
          role: 'SUPERVISOR',
          org,
        },
        {
          path: `/timetable?date=${DATE}`,
          ...visit,
        },
      ),
    lesson: (day, time) =>
      lessonAt(api, algebra, at(day, time), {
        teacher_id: 'ada',
        room: 'Lab',
      }),
    now: ({ id }) => api.ok(lessonCalls.getLesson, { path: { lesson_id: id } }),
  };
};

const block = (page: Page, text: string | RegExp): Locator => page.locator('.day').getByRole('button', { name: text });
const toast = (page: Page): Locator => page.locator('.toast').last();
const undo = async (page: Page): Promise<void> => {
  const done = page.locator('.toast', { hasText: 'Undone' });
  for (const earlier of await done.all()) await earlier.getByRole('button', { name: 'Close' }).click();
  await toast(page).getByRole('button', { name: 'Undo' }).click();
  await done.waitFor();
};
/** The point of a day's column at a minute of the day. */
const pointOf = async (page: Page, date: string, minutes: number): Promise<[x: number, y: number]> => {
  const day = page.locator(`.day[data-date="${date}"]`);
  const box = await day.boundingBox();
  const [from, to] = await day.evaluate((element) => [
    Number(element.getAttribute('data-from')),
    Number(element.getAttribute('data-to')),
  ]);
  if (box === null || from === undefined || to === undefined) throw new Error(`${date} is not shown`);
  return [box.x + box.width / 2, box.y + ((minutes - from) / (to - from)) * box.height];
};
const centreOf = async (element: Locator): Promise<[x: number, y: number]> => {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (box === null) throw new Error('the element is not visible');
  return [box.x + box.width / 2, box.y + box.height / 2];
};
/** The pages and headings of the page on paper, with the default settings of the browser. */
const printed = async (page: Page, paper: { format: string; landscape: boolean }) => {
  const pdf = await page.pdf({ ...paper, outline: true, tagged: true });
  const text = pdf.toString('latin1');
  return {
    pages: text.match(/\/Type\s*\/Page\b/g)?.length,
    headings: [...text.matchAll(/\/Title\s*\((\w+ \d+)\)/g)].map(([, title]) => title),
  };
};
const choose = async (page: Page, field: RegExp, name: string): Promise<void> => {
  await page.getByRole('button', { name: field }).click();
  await page.locator('dialog').last().getByRole('button', { name, exact: true }).click();
};

describe('The timetable', () => {
  it(
    'schedules one lesson, and removes it by undo',
    browserTest(async (stage) => {
      const office = await newOffice();
      const page = await office.open(stage);
      await page.getByRole('button', { name: 'New lesson' }).click();
      await choose(page, /^Class:/, 'Algebra');
      await page.getByLabel('Begins').fill('16:30');
      await page.getByLabel('Room').selectOption('Lab');
      await page.getByText('No conflicts.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await block(
        page,
        /^Algebra, Monday 5 February, 16:30–17:30, Ada Byron, Lab, 1 of 1 places taken, Full/,
      ).waitFor();
      await undo(page);
      await block(page, /^Algebra/).waitFor({ state: 'detached' });
      const { items } = await office.api.ok(lessonCalls.listLessons, {});
      expect(items).toEqual([]);
    }),
  );

  it(
    'shows all lessons of a series and their conflicts before anything is stored',
    browserTest(async (stage) => {
      const office = await newOffice();
      await lessonAt(office.api, office.piano, at(7, '16:00'), { teacher_id: 'ada' });
      const page = await office.open(stage);
      await page.getByRole('button', { name: 'New lesson' }).click();
      await choose(page, /^Class:/, 'Algebra');
      await page.getByText('Every week').click();
      await page.getByRole('checkbox', { name: 'Wed' }).check();
      await page.getByLabel('Lessons', { exact: true }).fill('4');
      await page.getByText('This makes 4 lessons.').waitFor();
      await page.getByText('1 of them has a conflict.').waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await page.getByLabel('Skip lessons with a conflict').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.toast', { hasText: '3 lessons scheduled' }).waitFor();
      await undo(page);
      const { items } = await office.api.ok(lessonCalls.listClazzLessons, { path: { id: office.algebra } });
      expect(items).toEqual([]);
    }),
  );

  it(
    'moves a lesson by mouse to another day and time, and back by undo',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(5, '16:00');
      const page = await office.open(stage);
      const move = async (): Promise<void> => {
        const [x, y] = await centreOf(block(page, /^Algebra/));
        const [toX, toY] = await pointOf(page, '2035-02-07', 15 * 60);
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 20, y, { steps: 3 });
        await page.mouse.move(toX, toY, { steps: 6 });
        await page.mouse.up();
        await toast(page).getByText('Moved to Wed 7 Feb, 14:30').waitFor();
        expect((await office.now(lesson)).starts_at).toBe(at(7, '14:30'));
      };
      await expectUndone(office.api, move, () => undo(page));
      await block(page, /^Algebra, Monday 5 February, 16:00/).waitFor();
    }),
  );

  it(
    'moves a lesson by a long press, also to another day of the strip',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(5, '10:00');
      const page = await office.open(stage, PHONE);
      const touch = await page.context().newCDPSession(page);
      const send = (type: string, ...points: (readonly [number, number])[]) =>
        touch.send('Input.dispatchTouchEvent', {
          type: type as 'touchStart',
          touchPoints: points.map(([x, y]) => ({ x, y })),
        });
      const from = await centreOf(block(page, /^Algebra/));
      await send('touchStart', from);
      await page.locator('.scroller.moving').waitFor();
      const to = await centreOf(page.locator('.strip [data-date="2035-02-08"]'));
      await send('touchMove', [from[0], from[1] + 30]);
      await send('touchMove', to);
      await send('touchEnd');
      await page.locator('.toast', { hasText: 'Moved to Thu 8 Feb' }).waitFor();
      expect((await office.now(lesson)).starts_at.slice(0, 10)).toBe('2035-02-08');
    }),
  );

  it(
    'moves a lesson by keyboard alone, and announces its time',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(5, '10:00');
      const page = await office.open(stage);
      const announced = page.locator('[aria-live=assertive]');
      await block(page, /^Algebra/).focus();
      await page.keyboard.press('m');
      await announced.getByText('Arrow keys move the lesson').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await announced.getByText('The lesson was not moved.').waitFor();
      await page.keyboard.press('m');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      await announced.getByText('No conflicts.').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.toast', { hasText: 'Moved to Tue 6 Feb, 10:20' }).waitFor();
      expect((await office.now(lesson)).starts_at).toBe(at(6, '10:20'));
      expect(await page.evaluate('document.activeElement.dataset.lesson')).toBe(lesson.id);
    }),
  );

  it(
    'saves a move once when dropped twice, and nothing when cancelled during the check',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(5, '10:00');
      const page = await office.open(stage);
      const saved: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'PATCH') saved.push(request.url());
      });
      const heldChecks: (() => void)[] = [];
      let isHolding = true;
      await page.route('**/lesson/check', async (route) => {
        if (isHolding) await new Promise<void>((resolve) => heldChecks.push(resolve));
        await route.continue();
      });
      const moveAndDrop = async (drops: number): Promise<void> => {
        await block(page, /^Algebra/).focus();
        await page.keyboard.press('m');
        await page.keyboard.press('ArrowDown');
        for (let drop = 0; drop < drops; drop += 1) await page.keyboard.press('Enter');
        await expect.poll(() => heldChecks.length).toBeGreaterThanOrEqual(drops);
      };
      await moveAndDrop(1);
      await page.keyboard.press('Escape');
      for (const release of heldChecks.splice(0)) release();
      await moveAndDrop(2);
      isHolding = false;
      for (const release of heldChecks.splice(0)) release();
      await page.locator('.toast', { hasText: 'Moved to Mon 5 Feb, 10:15' }).waitFor();
      await settled(page);
      expect(saved).toHaveLength(1);
      expect((await office.now(lesson)).starts_at).toBe(at(5, '10:15'));
    }),
  );

  it(
    'shows a clash while a lesson is moved, saves nothing, and offers alternatives',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(5, '10:00');
      await lessonAt(office.api, office.piano, at(5, '11:00'), { teacher_id: 'ada', room: 'Lab' });
      const page = await office.open(stage);
      await block(page, /^Algebra/).focus();
      await page.keyboard.press('m');
      for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
      await page.locator('.ghost.clash', { hasText: 'Ada Byron teaches (Piano)' }).waitFor();
      await page.keyboard.press('Enter');
      const form = page.getByRole('dialog', { name: 'Move' });
      await form.getByText('Ada Byron teaches and Lab is taken').waitFor();
      expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      expect((await office.now(lesson)).starts_at).toBe(at(5, '10:00'));
      await form.getByRole('button', { name: 'Tom Okafor' }).click();
      await form.getByRole('button', { name: 'Studio' }).click();
      await form.getByText('No conflicts.').waitFor();
      await form.getByRole('button', { name: 'Save' }).click();
      await block(page, /^Algebra, Monday 5 February, 11:00–12:00, Tom Okafor, .*Studio/).waitFor();
    }),
  );

  it(
    'accepts a clash of a supervisor who gives a reason, but no clash of a student',
    browserTest(async (stage) => {
      const office = await newOffice();
      await office.lesson(5, '10:00');
      await lessonAt(office.api, office.piano, at(5, '11:00'), { teacher_id: 'ada' });
      const page = await office.open(stage);
      await block(page, /^Algebra/).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Begins').fill('11:15');
      await page.getByLabel('Accept the conflict').check();
      await page.getByRole('dialog').getByLabel('Reason').fill('Exam week');
      await page.getByRole('button', { name: 'Save' }).click();
      await block(page, /^Algebra, Monday 5 February, 11:15/).waitFor();
      await page.getByRole('button', { name: 'New lesson' }).click();
      await choose(page, /^Class:/, 'Algebra');
      await choose(page, /^Teacher:/, 'Tom Okafor');
      await page.getByLabel('Begins').fill('11:00');
      await page.getByText('Pupil mia would be in two lessons').waitFor();
      expect(await page.getByLabel('Accept the conflict').count()).toBe(0);
    }),
  );

  it(
    'names an accepted conflict on both lessons and in the form, and no room of it as free',
    browserTest(async (stage) => {
      const office = await newOffice();
      await lessonAt(office.api, office.piano, at(5, '10:00'), { teacher_id: 'ada', room: 'Lab' });
      const accepted = { teacher_id: 'ada', room: 'Lab', override: true, reason: 'Exams' };
      await lessonAt(office.api, office.algebra, at(5, '10:30'), accepted);
      const page = await office.open(stage);
      await block(page, /^Piano, .*Conflict: Ada Byron teaches \(Algebra\), Lab is taken \(Algebra\)/).waitFor();
      await block(page, /^Algebra, .*Conflict: Ada Byron teaches \(Piano\)/).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Accepted conflicts').waitFor();
      await dialog.getByText('Ada Byron teaches and Lab is taken').waitFor();
      await dialog.getByRole('button', { name: 'Edit' }).click();
      await dialog.getByText('Ada Byron teaches and Lab is taken').waitFor();
      expect(await dialog.getByText('No conflicts.').count()).toBe(0);
      const room = dialog.getByLabel('Room');
      const rooms = () => room.locator('option').allInnerTexts();
      expect(await rooms()).toEqual(['No room', 'Studio (free)', 'Lab (taken)']);
      await dialog.getByText('Topic', { exact: false }).first().click();
      await dialog.getByLabel('Topic').fill('Roots');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.locator('.toast', { hasText: 'Saved' }).waitFor();
      await block(page, /^Piano/).click();
      await dialog.getByText('Accepted conflicts').waitFor();
      await dialog.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Begins').fill('09:30');
      await dialog.getByText('No conflicts.').waitFor();
      expect(await rooms()).toEqual(['No room', 'Lab (free)', 'Studio (free)']);
    }),
  );

  it(
    'calls a room free for a series only if it is free on every date, also after the series was made',
    browserTest(async (stage) => {
      const office = await newOffice();
      await lessonAt(office.api, office.piano, new Date('2035-02-12T15:00:00Z').toISOString(), {
        teacher_id: 'wang',
        room: 'Lab',
      });
      const page = await office.open(stage);
      const options = () => page.getByLabel('Room').locator('option').allInnerTexts();
      await page.getByRole('button', { name: 'New lesson' }).click();
      await expect.poll(options).toEqual(['No room', 'Lab', 'Studio']);
      await choose(page, /^Class:/, 'Algebra');
      await page.getByText('No conflicts.').waitFor();
      expect(await options()).toEqual(['No room', 'Lab (free)', 'Studio (free)']);
      await page.getByText('Every week').click();
      await page.getByLabel('Lessons', { exact: true }).fill('3');
      await page.getByText('This makes 3 lessons.').waitFor();
      expect(await options()).toEqual(['No room', 'Studio (free)', 'Lab (taken)']);
      await page.getByRole('button', { name: 'Save' }).click();
      await block(page, /^Algebra/).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByText('No conflicts.').waitFor();
      expect(await options()).toEqual(['No room', 'Lab (free)', 'Studio (free)']);
      await page.getByText('Whole series').click();
      await expect.poll(options).toEqual(['No room', 'Studio (free)', 'Lab (taken)']);
    }),
  );

  it(
    'restores by undo what the API answered before, also where a conflict was accepted',
    browserTest(async (stage) => {
      const office = await newOffice();
      await office.lesson(5, '10:30');
      const accepted = { teacher_id: 'ada', override: true, reason: 'Exams' };
      await lessonAt(office.api, office.piano, at(5, '10:00'), accepted);
      const page = await office.open(stage);
      const act = (button: string, submit: () => Promise<void>): Promise<void> =>
        expectUndone(
          office.api,
          async () => {
            await block(page, /^Algebra/).click();
            await page.getByRole('dialog').getByRole('button', { name: button }).click();
            await submit();
            await toast(page).getByRole('button', { name: 'Undo' }).waitFor();
          },
          () => undo(page),
        );
      await act('Edit', async () => {
        await page.getByLabel('Begins').fill('14:00');
        await page.getByText('No conflicts.').waitFor();
        await page.getByRole('button', { name: 'Save' }).click();
      });
      await act('Substitute', async () => {
        await page.getByLabel('Tom Okafor').check();
        await page.getByRole('button', { name: 'Substitute' }).last().click();
      });
      await act('Cancel lesson', async () => {
        await page.getByLabel('Reason', { exact: true }).fill('Snow');
        await page.getByRole('button', { name: 'Cancel lesson' }).last().click();
      });
    }),
  );

  it(
    'cancels with a reason, and restores by undo and by form',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(6, '10:00');
      const page = await office.open(stage);
      const cancel = async (): Promise<void> => {
        await block(page, /^Algebra/).click();
        await page.getByRole('button', { name: 'Cancel lesson' }).click();
        await page.getByLabel('Reason', { exact: true }).fill('Snow');
        await page.getByRole('button', { name: 'Close' }).click();
        await block(page, /^Algebra/).click();
        await page.getByRole('button', { name: 'Cancel lesson' }).click();
        await page.getByText('Your draft is restored').waitFor();
        await page.getByRole('button', { name: 'Cancel lesson' }).last().click();
        await block(page, /^Algebra, .*Cancelled/).waitFor();
        const line = "getComputedStyle(document.querySelector('.lesson.cancelled strong')).textDecorationLine";
        expect(await page.evaluate(line)).toBe('line-through');
        expect(await office.now(lesson)).toMatchObject({ cancel_reason: 'Snow', cancelled_by: 'org' });
      };
      await expectUndone(office.api, cancel, () => undo(page));
      await page.locator('.lesson.scheduled').waitFor();
      await office.api.ok(lessonCalls.cancelLesson, { path: { lesson_id: lesson.id }, body: { reason: 'Ice' } });
      const restore = async (): Promise<void> => {
        await block(page, /^Algebra, .*Cancelled/).click();
        await page.getByText('Cancelled: Ice').waitFor();
        await page.getByRole('button', { name: 'Restore' }).click();
        await page.getByLabel('Reason').fill('It melted');
        await page.getByRole('button', { name: 'Restore' }).last().click();
        await page.locator('.lesson.scheduled').waitFor();
      };
      await expectUndone(office.api, restore, () => undo(page));
    }),
  );

  it(
    'offers no undo for the cancellation of a held lesson, whose marks would not return',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await lessonAt(office.api, office.algebra, '2025-02-05T10:00:00.000Z', { teacher_id: 'ada' });
      const marks = [{ student_id: 'mia', mark: 'present' as const }];
      await office.api.ok(rollCallCalls.submitRollCall, {
        path: { lesson_id: lesson.id },
        body: { marks, reason: 'Late' },
      });
      const page = await office.open(stage, { path: `/timetable?date=2025-02-05&lesson=${lesson.id}` });
      await page.getByRole('button', { name: 'Cancel lesson' }).click();
      await page.getByText('this cannot be undone').waitFor();
      await page.getByLabel('Reason', { exact: true }).fill('Wrong class');
      await page.getByRole('button', { name: 'Cancel lesson' }).last().click();
      await toast(page).getByText('Cancelled').waitFor();
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    }),
  );

  it(
    'assigns a lesson to a free teacher, and back by undo',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(5, '10:00');
      await lessonAt(office.api, office.piano, at(5, '10:00'), { teacher_id: 'wang' });
      const page = await office.open(stage);
      const assign = async (): Promise<void> => {
        await block(page, /^Algebra/).click();
        await page.getByRole('button', { name: 'Substitute' }).click();
        const options = page.getByRole('dialog').getByRole('radio');
        await options.first().waitFor();
        expect(await options.count()).toBe(1);
        await page.getByLabel('Tom Okafor').check();
        await page.getByRole('button', { name: 'Substitute' }).last().click();
        await block(page, /^Algebra, .*Tom Okafor, Substitute for Ada Byron/).waitFor();
        expect((await office.now(lesson)).teacher_id).toBe('tom');
      };
      await expectUndone(office.api, assign, () => undo(page));
      await block(page, /^Algebra, .*Ada Byron/).waitFor();
    }),
  );

  it(
    'shows on one page a move on another',
    browserTest(async (stage) => {
      const office = await newOffice();
      await office.lesson(5, '10:00');
      const [mine, theirs] = [await office.open(stage), await office.open(stage)];
      await block(mine, /^Algebra/).focus();
      await mine.keyboard.press('m');
      await mine.keyboard.press('ArrowRight');
      await mine.keyboard.press('Enter');
      await block(theirs, /^Algebra, Tuesday 6 February/).waitFor();
    }),
  );

  it(
    'shows the rule of a field beside it, in the language of the page, and opens the group that hides it',
    browserTest(async (stage) => {
      const office = await newOffice();
      const lesson = await office.lesson(5, '10:07');
      const page = await office.open(stage, { locale: 'zh-CN' });
      await block(page, /^Algebra/).click();
      await page.getByRole('button', { name: '编辑' }).click();
      const [minutes, more] = [page.getByLabel('时长（分钟）'), page.locator('dialog details.more summary')];
      await minutes.fill('1441');
      await minutes.blur();
      await page.getByText('请填写 1 至 1,440 之间的数。').waitFor();
      await minutes.fill('47');
      await page.getByText('请填写 1 至 1,440 之间的数。').waitFor({ state: 'detached' });
      await more.click();
      const hours = page.getByLabel('课时');
      await hours.fill('24,5');
      await more.click();
      await page.getByRole('button', { name: '保存' }).click();
      await page.getByText('请填写 0 至 24 之间的数，最多 2 位小数。').waitFor();
      expect(await hours.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
      await hours.fill('1,25');
      await page.getByRole('button', { name: '保存' }).click();
      await page.locator('.toast', { hasText: '已' }).waitFor();
      expect(await office.now(lesson)).toMatchObject({ hours: '1.25', ends_at: at(5, '10:54') });
    }),
  );

  it(
    'filters by teacher, room, class and student, and keeps the filter in the address',
    browserTest(async (stage) => {
      const office = await newOffice();
      await office.lesson(5, '10:00');
      await lessonAt(office.api, office.piano, at(6, '10:00'), { teacher_id: 'wang', room: 'Studio' });
      const page = await office.open(stage);
      const filterBy = async (kind: string, name: string): Promise<void> => {
        await page.getByRole('group', { name: 'Show only' }).getByRole('button', { name: kind }).click();
        await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
        await block(page, /^Piano/).waitFor();
        await block(page, /^Algebra, /).waitFor({ state: 'detached' });
        await page.reload();
        await page.getByRole('button', { name: `${kind} ${name}` }).waitFor();
        await page.getByRole('button', { name: 'Show all' }).click();
        await block(page, /^Algebra, /).waitFor();
      };
      await filterBy('Teacher', '王芳');
      await filterBy('Room', 'Studio');
      await filterBy('Class', 'Piano');
      await filterBy('Student', 'Pupil leo');
    }),
  );

  it(
    'prints the whole week on one page, with the name of the school, on A4 and Letter in both orientations',
    browserTest(async (stage) => {
      const office = await newOffice();
      await office.api.ok(policyCalls.putPolicy, { body: { zone: 'Europe/Madrid', org_name: 'Villa Music' } });
      for (const day of [5, 6, 7, 8, 9]) await office.lesson(day, '10:00');
      for (let count = 10; count < 22; count += 1) {
        const id = await clazzWith(office.api, [], {
          name: `Conversation, group ${count}`,
          lead_teacher_id: `t-${count}`,
        });
        await lessonAt(office.api, id, at(5, `${count}:00`));
      }
      const page = await office.open(stage, { colorScheme: 'dark' });
      for (const format of ['A4', 'Letter'])
        for (const landscape of [true, false]) {
          const { pages, headings } = await printed(page, { format, landscape });
          expect({ format, landscape, pages, headings }).toEqual({
            format,
            landscape,
            pages: 1,
            headings: ['Mon 5', 'Tue 6', 'Wed 7', 'Thu 8', 'Fri 9', 'Sat 10', 'Sun 11'],
          });
        }
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('nav').isVisible()).toBe(false);
      expect(await page.getByRole('button', { name: 'New lesson' }).isVisible()).toBe(false);
      expect(await page.locator('.printed').innerText()).toContain('Villa Music · ');
      const styleOf = (selector: string) => `getComputedStyle(document.querySelector('${selector}'))`;
      expect(await page.evaluate(`${styleOf('.lesson .signs')}.printColorAdjust`)).toBe('exact');
      expect(await page.evaluate(`${styleOf('.printed')}.colorScheme`)).toBe('light');
    }),
  );

  it(
    'keeps the colour of each class under a filter, and gives twelve classes twelve hues',
    browserTest(async (stage) => {
      const office = await newOffice();
      await office.lesson(5, '10:00');
      const pianoLesson = await lessonAt(office.api, office.piano, at(6, '10:00'));
      const others: string[] = [];
      for (let count = 0; count < 10; count += 1)
        others.push(await clazzWith(office.api, [], { name: `Class ${count}`, lead_teacher_id: `teacher-${count}` }));
      await Promise.all(
        others.map((id, index) => lessonAt(office.api, id, at(7, `${String(index + 9).padStart(2, '0')}:00`))),
      );
      const page = await office.open(stage);
      const hueOf = async (lesson: Locator) => /--hue: *(\d+)/.exec((await lesson.getAttribute('style')) ?? '')?.[1];
      const piano = page.locator(`[data-lesson="${pianoLesson.id}"]`);
      await page.locator('.lesson').nth(11).waitFor();
      const hues = await Promise.all((await page.locator('.lesson').all()).map(hueOf));
      expect(new Set(hues).size).toBe(12);
      const hue = await hueOf(piano);
      await page.locator('.legend').getByRole('button', { name: 'Piano' }).click();
      await page.locator('.lesson').nth(1).waitFor({ state: 'detached' });
      expect(await hueOf(piano)).toBe(hue);
    }),
  );

  it(
    'opens the lesson of a link without date in its week, also if the filters of the link hide it',
    browserTest(async (stage) => {
      const office = await newOffice();
      const { id } = await office.lesson(8, '10:00');
      const page = await office.open(stage, { path: `/timetable?lesson=${id}&clazz=${office.piano}` });
      await page.getByRole('dialog', { name: 'Algebra' }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await block(page, /^Algebra, Thursday 8 February/).waitFor();
      stage.allow(/clazz\/lesson\/.* answered (404|500)/);
      await page.route(`**/clazz/lesson/${id}`, (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
      await page.goto(page.url().replace(/\?.*/, `?lesson=${id}`));
      await page.locator('.toast').getByText('Something went wrong in the system').waitFor();
      await page.reload();
      await page.getByRole('dialog', { name: 'Algebra' }).waitFor();
      await page.goto(page.url().replace(/\?.*/, `?lesson=${randomUUID()}`));
      await page.getByText('There is no such lesson').waitFor();
    }),
  );

  it(
    'counts no cancelled lesson, and goes to a chosen date',
    browserTest(async (stage) => {
      const office = await newOffice();
      await office.lesson(5, '10:00');
      const { id } = await office.lesson(5, '12:00');
      await office.api.ok(lessonCalls.cancelLesson, { path: { lesson_id: id } });
      const page = await office.open(stage, { path: '/timetable' });
      await page.getByLabel('Go to date').fill(DATE);
      await page.locator(`.heading[data-date="${DATE}"]`).getByText('1 lesson', { exact: true }).waitFor();
    }),
  );

  it(
    'shows more lessons in a week than one page of the API has',
    browserTest(async (stage) => {
      const office = await newOffice();
      const body = {
        starts_on: DATE,
        start_time: '09:00',
        duration_minutes: 30,
        zone: 'Europe/Madrid',
        rrule: 'FREQ=DAILY',
        count: 7,
      };
      for (let hour = 8; hour < 24; hour += 1)
        await office.api.post(`/clazz/${office.algebra}/lesson/series`, {
          ...body,
          start_time: `${String(hour).padStart(2, '0')}:00`,
        });
      const page = await office.open(stage);
      await page.locator('.lesson').nth(111).waitFor();
      expect(await page.locator('.lesson').count()).toBe(112);
    }),
  );

  it.for(APPEARANCES)('has no axe violations: %s, %s', ([locale, colorScheme], context) =>
    browserTest(async (stage) => {
      const office = await newOffice();
      const { id } = await office.lesson(5, '10:00');
      await lessonAt(office.api, office.piano, at(5, '10:15'), { teacher_id: 'wang' });
      await office.api.ok(lessonCalls.cancelLesson, { path: { lesson_id: (await office.lesson(6, '10:00')).id } });
      for (const name of ['Drawing', 'Chess', 'French', 'Choir', 'Conversation', 'Judo'])
        await lessonAt(
          office.api,
          (
            await office.api.ok(clazzCalls.activateClazz, {
              path: { id: (await office.api.ok(clazzCalls.createClazz, { body: { name, lead_teacher_id: name } })).id },
            })
          ).id,
          at(7, '12:00'),
        );
      for (const size of [{}, PHONE]) {
        const page = await office.open(stage, { ...size, locale, colorScheme });
        await page.locator('.lesson').first().waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
        const cutNames =
          "[...document.querySelectorAll('.lesson strong')].filter((name) => name.scrollWidth > name.clientWidth)";
        expect(await page.evaluate(`${cutNames}.map((name) => name.textContent)`)).toEqual([]);
        await expectNoAxeViolations(page);
        await page.locator(`[data-lesson="${id}"]`).click();
        await page.locator('dialog .badges').waitFor();
        await expectNoAxeViolations(page);
        await page.locator('dialog footer .button.main').click();
        await page.locator('dialog .clash p').waitFor();
        await page.locator('dialog input[type=time]').fill('10:15');
        await page.locator('dialog .clash:not(:has-text("…"))').waitFor();
        await expectNoAxeViolations(page);
      }
    })(context),
  );
});
