import type { Locator, Page } from 'playwright-core';
import {
  courseCalls,
  courseSectionCalls,
  enrolmentCalls,
  hourCalls,
  jihuaCalls,
  leaveCalls,
  lessonCalls,
  lianxiCalls,
  memberCalls,
  piyueCalls,
  policyCalls,
  seriesCalls,
} from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { APPEARANCES } from '../../../tools/developers/browser/appearance.ts';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { clazzWith, lessonAt } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { dateIn, type Family, createFamily, noonIn } from './family.ts';
import { expectUndone } from './org-state.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
});
afterAll(() => fixture.stop());

/** The hint about a booking may arrive before its answer: the open dialog then requests the options of a used credit. */
const OPTIONS_OF_USED_CREDIT = /make-up\/options\S* answered 409/;
const row = (page: Page, clazz: string): Locator => page.locator('li.lesson', { hasText: clazz });

describe('A guardian', () => {
  it(
    'requests leave for a child with its cost shown before, and books the make-up: four taps',
    browserTest(async (stage) => {
      stage.allow(OPTIONS_OF_USED_CREDIT);
      const family = await createFamily(fixture);
      await lessonAt(family.api, family.algebra, noonIn(1), { room: 'Room 1', topic: 'Sets' });
      await lessonAt(family.api, family.botany, noonIn(1));
      await lessonAt(family.api, family.botany, noonIn(4), { room: 'Lab' });
      const page = await family.open(stage, 'mum', PHONE);
      let taps = 0;
      const tap = async (target: Locator): Promise<void> => {
        await target.tap();
        taps += 1;
      };
      expect(await page.locator('.page > header').innerText()).toContain('Next: ');
      await tap(row(page, 'Algebra').getByRole('button', { name: /^Can’t come: Algebra/ }));
      const dialog = page.getByRole('dialog', { name: 'Request leave' });
      await dialog.getByText('Cost').waitFor();
      const quote = (await dialog.innerText()).replaceAll(/\s+/g, ' ');
      expect(quote).toContain('Cost Nothing without leave: 1 h');
      expect(quote).toContain('Make-up One lesson, until');
      expect(quote).toContain('For Mia Berg');
      await tap(dialog.getByRole('button', { name: 'Request leave' }));
      await row(page, 'Algebra').getByText('Leave requested').waitFor();
      const { items } = await family.as('mum').ok(leaveCalls.listLeaves, { query: { student_id: 'mia' } });
      expect(items).toMatchObject([{ status: 'pending', reason: 'Ill', requested_by: 'mum' }]);
      await family.api.ok(leaveCalls.approveLeave, { path: { id: items[0]?.id ?? '' } });
      await tap(row(page, 'Algebra').getByRole('button', { name: 'Choose make-up' }));
      const options = page.getByRole('dialog', { name: 'Choose a lesson' });
      await options.getByText('Lab').waitFor();
      await tap(options.getByRole('button', { name: /^Book Botany/ }).last());
      await page.getByText('Booked: ').waitFor();
      await row(page, 'Make-up lesson')
        .getByText(/^Make-up for Algebra \(/)
        .waitFor();
      expect(taps).toBe(4);
      const [leave] = (await family.as('mum').ok(leaveCalls.listLeaves, { query: { student_id: 'mia' } })).items;
      expect(leave).toMatchObject({ status: 'approved', make_up: { status: 'used', lesson_starts_at: noonIn(4) } });
    }),
  );

  it(
    'does both without waiting if the school approves timely leave at once: four taps',
    browserTest(async (stage) => {
      stage.allow(OPTIONS_OF_USED_CREDIT);
      const family = await createFamily(fixture);
      await family.api.ok(policyCalls.putPolicy, { body: { leave: { approval: 'in_time', deadline_hours: 0 } } });
      await lessonAt(family.api, family.algebra, noonIn(1));
      await lessonAt(family.api, family.botany, noonIn(4), { room: 'Lab' });
      const page = await family.open(stage, 'mum', PHONE);
      await row(page, 'Algebra')
        .getByRole('button', { name: /^Can’t come: Algebra/ })
        .tap();
      const dialog = page.getByRole('dialog', { name: 'Request leave' });
      await dialog.getByText('Approved immediately.').waitFor();
      await dialog.getByRole('button', { name: 'Request leave' }).tap();
      const options = page.getByRole('dialog', { name: 'Choose a lesson' });
      await options.getByRole('button', { name: /^Book Botany/ }).tap();
      await row(page, 'Make-up lesson')
        .getByText(/^Make-up for Algebra \(/)
        .waitFor();
      const [leave] = (await family.as('mum').ok(leaveCalls.listLeaves, { query: { student_id: 'mia' } })).items;
      expect(leave).toMatchObject({ status: 'approved', decided_by: null, make_up: { status: 'used' } });
    }),
  );

  it(
    'is offered make-ups only where the child has no place, with the free seats of the timetable and the cost',
    browserTest(async (stage) => {
      stage.allow(/answered 409/);
      const family = await createFamily(fixture);
      const { api } = family;
      await api.ok(policyCalls.putPolicy, {
        body: { leave: { approval: 'in_time', deadline_hours: 0 }, charge: { makeup: '0.5' } },
      });
      const missed = await lessonAt(api, family.algebra, noonIn(1));
      await lessonAt(api, family.algebra, noonIn(3));
      const full = await clazzWith(api, [], { name: 'Choir', lead_teacher_id: 'wu', capacity: 1 });
      const fits = await lessonAt(api, full, noonIn(5));
      const body = { lesson_id: missed.id, student_id: 'mia', reason: 'ill' };
      await family.as('mum').ok(leaveCalls.requestLeave, { body });
      const page = await family.open(stage, 'mum');
      await page.getByRole('link', { name: 'Leave', exact: true }).click();
      await page.locator('li.leave').getByRole('button', { name: 'Choose make-up' }).click();
      const options = page.locator('.options > li');
      await options.first().waitFor();
      const { items } = await api.ok(lessonCalls.listLessons, { query: { clazz_id: full } });
      expect(items).toMatchObject([{ id: fits.id, free: 1 }]);
      expect(await options.allInnerTexts()).toEqual([expect.stringMatching(/Choir[^]*1 free seat · costs 0.5 h/)]);
      // The student gets a place there while the request is on its way.
      await page.route('**/make-up', async (route) => {
        await api.ok(enrolmentCalls.enrolStudents, { path: { id: full }, body: { student_ids: ['mia'] } });
        await route.continue();
      });
      await options.getByRole('button', { name: /^Book Choir/ }).click();
      await page.getByText('The student has a place in this lesson already.').waitFor();
      await page.getByText('No lesson fits at the moment').waitFor();
      const [leave] = (await family.as('mum').ok(leaveCalls.listLeaves, { query: { student_id: 'mia' } })).items;
      expect(leave).toMatchObject({ make_up: { status: 'available' } });
    }),
  );

  it(
    'withdraws leave and undoes a make-up: the school has the state of before',
    browserTest(async (stage) => {
      stage.allow(OPTIONS_OF_USED_CREDIT);
      const family = await createFamily(fixture);
      await family.api.ok(policyCalls.putPolicy, { body: { leave: { approval: 'in_time', deadline_hours: 0 } } });
      const lesson = await lessonAt(family.api, family.algebra, noonIn(1));
      await lessonAt(family.api, family.botany, noonIn(4));
      const page = await family.open(stage, 'mum');
      const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
      await expectUndone(
        family.api,
        async () => {
          await press(/^Can’t come: Algebra/);
          await press('Request leave');
          await page.getByRole('dialog', { name: 'Choose a lesson' }).waitFor();
          await page.keyboard.press('Escape');
        },
        async () => {
          expect(await page.getByRole('button', { name: 'Withdraw', exact: true }).count()).toBe(0);
          await press('Withdraw leave');
          await page.getByRole('dialog').getByRole('button', { name: 'Withdraw leave' }).click();
          await page.getByText('The leave is withdrawn').waitFor();
        },
      );
      const body = { lesson_id: lesson.id, student_id: 'mia', reason: 'ill' };
      await family.as('mum').ok(leaveCalls.requestLeave, { body });
      const undoInToast = page.getByRole('button', { name: 'Undo', exact: true });
      const undoOnLesson = page.getByRole('button', { name: 'Undo make-up' });
      for (const undo of [undoInToast, undoOnLesson])
        await expectUndone(
          family.api,
          async () => {
            await page.locator('li.lesson').getByRole('button', { name: 'Choose make-up' }).click();
            await press(/^Book Botany/);
            await page.getByText('Booked: ').last().waitFor();
          },
          async () => {
            await undo.click();
            if (undo === undoOnLesson) {
              const question = page.getByRole('dialog', { name: 'Undo make-up?' });
              await question.getByText('another student may take it').waitFor();
              await expectNoAxeViolations(page);
              await question.getByRole('button', { name: 'Undo make-up' }).click();
            }
            await page.getByText('The make-up booking is cancelled.').waitFor();
            await page.locator('li.lesson').getByRole('button', { name: 'Choose make-up' }).waitFor();
            // No earlier message offers to undo the booking again.
            expect(await undoInToast.count()).toBe(0);
          },
        );
    }),
  );

  it(
    'sees the decision about leave with its reason, and that it is open again after the office reopened it',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      const lesson = await lessonAt(family.api, family.algebra, noonIn(1));
      const { items } = await family
        .as('mum')
        .ok(leaveCalls.requestLeave, { body: { lesson_id: lesson.id, student_id: 'mia', reason: 'A wedding' } });
      const path = { id: items[0]?.id ?? '' };
      const page = await family.open(stage, 'mum');
      const other = await family.open(stage, 'mum', { path: '/lessons?tab=leave' });
      const expectEverywhere = async (...shown: string[]): Promise<void> => {
        for (const item of [row(page, 'Algebra'), other.locator('li.leave')])
          for (const text of shown) await item.getByText(text).waitFor();
      };
      await expectEverywhere('Leave requested');
      await family.api.ok(leaveCalls.rejectLeave, { path, body: { reason: 'There is a test' } });
      await expectEverywhere('Leave rejected', 'Reason for the decision: There is a test');
      await family.api.ok(leaveCalls.reopenLeave, { path });
      await expectEverywhere('Leave requested');
      expect(await page.getByText('Reason for the decision').count()).toBe(0);
      await family.api.ok(leaveCalls.approveLeave, { path, body: { reason: 'The test is moved' } });
      await expectEverywhere('On leave', 'Reason for the decision: The test is moved');
      await family.api.ok(leaveCalls.reopenLeave, { path });
      await expectEverywhere('Leave requested');
      expect(await page.getByRole('button', { name: 'Choose make-up' }).count()).toBe(0);
    }),
  );

  it(
    'sees both children or one of them, and finds the last choice after a reload',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      await lessonAt(family.api, family.algebra, noonIn(1));
      await lessonAt(family.api, family.botany, noonIn(1));
      const page = await family.open(stage, 'mum');
      expect(await page.locator('li.lesson .child').allInnerTexts()).toEqual(
        expect.arrayContaining(['Mia Berg', 'Tom Berg']),
      );
      await page.getByText('Tom Berg', { exact: true }).first().click();
      await page.waitForURL(/child=tom/);
      await page.locator('li.lesson .child').first().waitFor({ state: 'detached' });
      await row(page, 'Botany').waitFor();
      expect(await row(page, 'Algebra').count()).toBe(0);
      await page.getByRole('link', { name: 'Hours', exact: true }).click();
      await page.waitForURL(/tab=hours/);
      await page.goto(`${new URL(page.url()).origin}/lessons`);
      await row(page, 'Botany').waitFor();
      expect(await row(page, 'Algebra').count()).toBe(0);
    }),
  );

  it(
    'sees hours with their entries, and prices only with permission',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      const grant = { student_id: 'mia', hours: '10', price_minor: 32_000, expires_at: noonIn(20) };
      await family.api.ok(hourCalls.grantHours, { body: grant });
      const lesson = await lessonAt(family.api, family.algebra, noonIn(-1));
      await family.api.put(`/clazz/lesson/${lesson.id}/roll-call`, { marks: [{ student_id: 'mia', mark: 'present' }] });
      const path = '/lessons?child=mia&tab=hours';
      const [rich, poor, child] = [
        await family.open(stage, 'mum', { path }),
        await family.open(stage, 'dad', { path }),
        await family.open(stage, 'mia', { path }),
      ];
      for (const page of [rich, poor, child]) {
        const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
        expect(text).toContain('9 hours left');
        expect(text).toContain('9 of 10 h');
        expect(text).toMatch(/\w+ \d+ \w+, Algebra: present/);
        expect(text).toContain('−1 h');
        expect(text.includes('320')).toBe(page === rich);
      }
    }),
  );
});

describe('A student', () => {
  it(
    'sees what to do if a request is late or the quota is used, and cannot send it',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      await family.api.ok(policyCalls.putPolicy, {
        body: { leave: { late: 'refuse', quota_per_30_days: 1, deadline_hours: 36 } },
      });
      const [soon, first, second] = [
        await lessonAt(family.api, family.algebra, noonIn(1)),
        await lessonAt(family.api, family.algebra, noonIn(3)),
        await lessonAt(family.api, family.algebra, noonIn(5)),
      ];
      await family.as('mia').ok(leaveCalls.requestLeave, { body: { lesson_id: first.id, reason: 'a wedding' } });
      const page = await family.open(stage, 'mia');
      const refusalText = async (at: number): Promise<string> => {
        await page
          .getByRole('button', { name: /^Can’t come/ })
          .nth(at)
          .click();
        const dialog = page.getByRole('dialog');
        await dialog.locator('.message').waitFor();
        const text = await dialog.innerText();
        expect(await dialog.getByRole('button', { name: 'Request leave' }).count()).toBe(0);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        return text.replaceAll(/\s+/g, ' ');
      };
      const late = await refusalText(0);
      expect(late).toContain('It is too late to request leave here. Call the office.');
      const used = await refusalText(1);
      expect(used).toContain('No leave is left in these 30 days. Call the office.');
      expect(used).toContain('1 of 1 used');
      await row(page, 'Leave requested').getByRole('button', { name: 'Withdraw leave' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw leave' }).click();
      await page.getByText('The leave is withdrawn').waitFor();
      await page.getByText('Leave requested').waitFor({ state: 'detached' });
      expect([soon.status, second.status]).toEqual(['scheduled', 'scheduled']);
      const { items } = await family.as('mia').ok(leaveCalls.listLeaves, {});
      expect(items).toMatchObject([{ status: 'cancelled' }]);
    }),
  );

  it(
    'checks in by one tap and catches up on a missed day; the mother sees both at once',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      const plan = await family.api.ok(jihuaCalls.createJihua, {
        body: { title: 'Read aloud', starts_on: dateIn(-6), ends_on: dateIn(20), zone: 'UTC', student_ids: ['mia'] },
      });
      for (const days of [-2, -4])
        await family.api.post('/ws/daka', { jihua_id: plan.id, student_id: 'mia', local_date: dateIn(days) });
      const guardian = await family.open(stage, 'mum', { path: '/lessons?child=mia' });
      await guardian.getByText('Not checked in yet today').waitFor();
      expect(await guardian.locator('.plan button').count()).toBe(0);
      const page = await family.open(stage, 'mia', PHONE);
      const tile = page.locator('.plan');
      await tile.getByRole('button', { name: /^Check in for/ }).tap();
      await tile.getByText('2 days in a row').waitFor();
      await tile.getByRole('button', { name: 'Check in', exact: true }).tap();
      await tile.getByText('3 days in a row').waitFor();
      await tile.getByText('Checked in today').waitFor();
      await guardian.getByText('3 days in a row').waitFor();
    }),
  );

  it(
    'sees a lesson that the school cancelled, struck through, with its cost',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      const [free, paid] = [
        await lessonAt(family.api, family.algebra, noonIn(1)),
        await lessonAt(family.api, family.algebra, noonIn(2)),
      ];
      const cancel = (lesson_id: string) =>
        family.api.ok(lessonCalls.cancelLesson, {
          path: { lesson_id },
          body: { reason: 'A storm', reason_public: true, by: 'org' },
        });
      await cancel(free.id);
      await family.api.ok(policyCalls.putPolicy, { body: { charge: { cancelled_by_org: '0.25' } } });
      await cancel(paid.id);
      const page = await family.open(stage, 'mia');
      const rows = row(page, 'Cancelled by the school');
      expect(await rows.locator('s').allInnerTexts()).toEqual(['Algebra', 'Algebra']);
      expect(await rows.first().innerText()).toContain('A storm · It costs no hours.');
      expect(await rows.last().innerText()).toContain('It costs 0.25 h.');
      expect(await rows.getByRole('button').count()).toBe(0);
    }),
  );

  it(
    'sees a substitute as one, and no guess about the usual time, room or teacher of a series',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      const { items } = await family.api.ok(seriesCalls.createLessonSeries, {
        path: { id: family.algebra },
        body: {
          starts_on: dateIn(1),
          start_time: '12:00',
          duration_minutes: 60,
          zone: 'UTC',
          rrule: 'FREQ=DAILY',
          count: 6,
        },
      });
      const change = (at: number, body: { teacher_id: string } | { room: string }) =>
        family.api.ok(seriesCalls.updateLesson, { path: { lesson_id: items[at]?.id ?? '' }, body });
      await change(1, { teacher_id: 'wu' });
      await change(2, { room: 'Lab' });
      const page = await family.open(stage, 'mia');
      await row(page, 'Wu Fang').getByText('Substitute teacher', { exact: true }).waitFor();
      expect(await page.getByText('Substitute teacher').count()).toBe(1);
      expect(await page.locator('.days').innerText()).not.toMatch(/usual|other/i);
    }),
  );

  it(
    'finds the lesson that runs as “Now”, and a lesson that is over under “Past”',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
      const over = { ends_at: inMinutes(-1), topic: 'Over' };
      await lessonAt(family.api, family.algebra, inMinutes(-61), over);
      await lessonAt(family.api, family.algebra, inMinutes(-1), { topic: 'Running' });
      const page = await family.open(stage, 'mia');
      await page.locator('header').getByText('Now: Algebra', { exact: true }).waitFor();
      await row(page, 'Running').waitFor();
      expect(await row(page, 'Over').count()).toBe(0);
      await page.getByText('Past', { exact: true }).click();
      await row(page, 'Over').waitFor();
      expect(await row(page, 'Running').count()).toBe(0);
    }),
  );

  it(
    'is told once that the session has ended while leave is requested, and to log in',
    browserTest(async (stage) => {
      stage.allow(/answered 401/);
      const family = await createFamily(fixture);
      await lessonAt(family.api, family.algebra, noonIn(1));
      const page = await family.open(stage, 'mia');
      await page.getByRole('button', { name: /^Can’t come/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Request leave' });
      await dialog.getByText('Cost').waitFor();
      await page.route(/\/(api|auth)\//, (route) => route.fulfill({ status: 401, json: { code: 'unauthenticated' } }));
      await dialog.getByRole('button', { name: 'Request leave' }).click();
      await dialog.getByRole('button', { name: 'Log in' }).waitFor();
      expect(await dialog.locator('.message').count()).toBe(1);
      expect(await dialog.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect(await dialog.getByText('Nothing', { exact: true }).count()).toBe(1);
    }),
  );

  it(
    'answers a practice and sees the result',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      const { id: course_id } = await family.api.ok(courseCalls.createCourse, {
        body: { title: 'Maths', status: 'active' },
      });
      const section = await family.api.ok(courseSectionCalls.createCourseSection, {
        path: { course_id },
        body: { title: 'One' },
      });
      const questions = [
        { id: 'a', kind: 'single_choice', prompt: 'Two and two?', options: ['3', '4'], answer_key: '4', points: 2 },
        { id: 'b', kind: 'true_false', prompt: 'One is even', answer_key: false, points: 1 },
        { id: 'c', kind: 'free_text', prompt: 'Why?', points: 3 },
      ] as const;
      const practice = await family.api.ok(lianxiCalls.createLianxi, {
        body: {
          title: 'First steps',
          course_section_id: section.id,
          content: {
            questions: questions.map((question) => ({
              ...question,
              options: 'options' in question ? [...question.options] : null,
            })),
          },
          student_ids: ['mia'],
          max_attempts: 1,
        },
      });
      const page = await family.open(stage, 'mia', { path: '/lessons?tab=practice' });
      await page.getByRole('button', { name: 'Open: First steps' }).click();
      const dialog = page.getByRole('dialog', { name: 'First steps' });
      await dialog.getByRole('button', { name: 'Answer' }).click();
      const submissions = async () =>
        (await family.api.ok(lianxiCalls.listSubmissions, { path: { id: practice.id } })).items;
      await dialog.getByLabel(/Why\?/).fill(' ');
      await dialog.getByRole('button', { name: 'Hand in' }).click();
      await dialog.getByText('No question is answered yet.').waitFor();
      await dialog.getByRole('button', { name: 'Hand in' }).click();
      await dialog.getByLabel('4', { exact: true }).check();
      await dialog.getByLabel('False').check();
      await dialog.getByRole('button', { name: 'Hand in' }).click();
      await dialog.getByText('1 of 3 questions is not answered.').waitFor();
      expect(await submissions()).toEqual([]);
      await page.goBack();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Open: First steps' }).click();
      await dialog.getByRole('button', { name: 'Answer' }).click();
      await dialog.getByText('Your draft is restored.').waitFor();
      expect(await dialog.getByLabel('4', { exact: true }).isChecked()).toBe(true);
      await dialog.getByLabel(/Why\?/).fill('Because');
      await expectNoAxeViolations(page);
      await dialog.getByRole('button', { name: 'Hand in' }).click();
      await dialog.getByText('No result yet').waitFor();
      expect(await dialog.getByRole('button', { name: /Answer/ }).count()).toBe(0);
      const listed = page.locator('li.leave', { hasText: 'First steps' });
      expect(await listed.innerText()).toContain('Handed in');
      const [submission] = await submissions();
      const submission_id = submission?.id ?? '';
      await family.api.ok(piyueCalls.claimSubmission, { path: { submission_id } });
      await family.api.ok(piyueCalls.markSubmission, {
        path: { submission_id },
        body: { score: 5, comment: 'Well done', points: { c: 2 } },
      });
      await family.api.ok(piyueCalls.releaseSubmissionMarks, { body: { submission_ids: [submission_id] } });
      await dialog.getByText('5 of 6 points').waitFor();
      expect(await dialog.innerText()).toContain('Well done');
      await listed.getByText('5 of 6 points').waitFor();
      expect(await listed.getByRole('button').innerText()).toBe('View');
    }),
  );

  it(
    'creates and copies a calendar address, which is shown once, and deactivates it after a question',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      await lessonAt(family.api, family.algebra, noonIn(1));
      const page = await family.open(stage, 'mia', { permissions: ['clipboard-read', 'clipboard-write'] });
      await page.getByRole('button', { name: 'Calendar' }).click();
      await page.getByRole('button', { name: 'Create address' }).click();
      const url = await page.getByLabel('Address').inputValue();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('The address is copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url);
      expect(await (await fetch(url)).text()).toContain('SUMMARY:Algebra');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Calendar' }).click();
      await page.getByText(/^An address has existed since .* It was shown only when it was created\.$/).waitFor();
      const deactivate = page.getByRole('button', { name: 'Deactivate address' });
      await deactivate.click();
      await page.getByText('Calendars with the current address will no longer follow the lessons.').waitFor();
      expect((await fetch(url)).status).toBe(200);
      await deactivate.click();
      await page.getByText('The address is deactivated').waitFor();
      expect((await fetch(url)).status).toBe(404);
      await page.getByRole('button', { name: 'Create address' }).waitFor();
      expect(await deactivate.count()).toBe(0);
    }),
  );
});

it(
  'shows a guardian on a phone the names of both children, and lessons above make-ups',
  browserTest(async (stage) => {
    const family = await createFamily(fixture);
    const members = [
      { user_id: 'mia', display_name: 'Maximiliana Bergström', role: 'STUDENT' },
      { user_id: 'tom', display_name: 'Thomas Alexander Bergström', role: 'STUDENT' },
    ] as const;
    await family.api.ok(memberCalls.putMembers, { body: { members: [...members] } });
    const lesson = await lessonAt(family.api, family.algebra, noonIn(1));
    const body = { lesson_id: lesson.id, student_id: 'mia', reason: 'ill' };
    const { items } = await family.as('mum').ok(leaveCalls.requestLeave, { body });
    await family.api.ok(leaveCalls.approveLeave, { path: { id: items[0]?.id ?? '' } });
    const page = await family.open(stage, 'mum', { ...PHONE, viewport: { width: 390, height: 740 } });
    const boxOf = async (target: Locator) => (await target.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    for (const { display_name } of members) {
      const { x, width } = await boxOf(page.locator('.whose label', { hasText: display_name }));
      expect(x + width).toBeLessThan(390);
    }
    const credit = await boxOf(page.locator('.credit'));
    expect((await boxOf(row(page, 'Algebra'))).y).toBeLessThan(credit.y);
    expect(await page.getByText('1 make-up to choose').count()).toBe(0);
    await page
      .locator('.credit')
      .getByRole('button', { name: /^Choose/ })
      .tap();
    await page.getByRole('dialog', { name: 'Choose a lesson' }).waitFor();
  }),
);

describe('Screens of students and guardians have no axe violations', () => {
  let family: Family;
  beforeAll(async () => {
    family = await createFamily(fixture);
    const { api, algebra, botany } = family;
    await api.ok(hourCalls.grantHours, {
      body: { student_id: 'mia', hours: '10', price_minor: 32_000, expires_at: noonIn(20) },
    });
    const past = await lessonAt(api, algebra, noonIn(-2));
    await api.put(`/clazz/lesson/${past.id}/roll-call`, { marks: [{ student_id: 'mia', mark: 'late' }] });
    const missed = await lessonAt(api, algebra, noonIn(2), { homework: 'Page 3', room: 'Room 1' });
    await lessonAt(api, botany, noonIn(3), { topic: 'Trees' });
    const cancelledLesson = await lessonAt(api, algebra, noonIn(4));
    await api.ok(lessonCalls.cancelLesson, { path: { lesson_id: cancelledLesson.id } });
    const requested = await family
      .as('mia')
      .ok(leaveCalls.requestLeave, { body: { lesson_id: missed.id, reason: 'ill' } });
    await api.ok(leaveCalls.approveLeave, { path: { id: requested.items[0]?.id ?? '' } });
    const days = { starts_on: dateIn(-6), ends_on: dateIn(20), zone: 'UTC' };
    await api.ok(jihuaCalls.createJihua, { body: { title: 'Read aloud', ...days, student_ids: ['mia'] } });
  });

  it.for(APPEARANCES)('on a phone: %s, %s', ([locale, colorScheme], context) =>
    browserTest(async (stage) => {
      const page = await family.open(stage, 'mum', { ...PHONE, locale, colorScheme });
      const checkPage = async (): Promise<void> => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
        await expectNoAxeViolations(page);
      };
      await checkPage();
      await page.locator('.button.ask').first().tap();
      await page.locator('dialog .quote').waitFor();
      await checkPage();
      await page.keyboard.press('Escape');
      await page.locator('.credit .button').tap();
      await page.locator('dialog .options').waitFor();
      await checkPage();
      await page.keyboard.press('Escape');
      for (const [tab, shown] of [
        ['leave', 'li.leave'],
        ['hours', '.lot'],
        ['practice', '.plan'],
      ] as const) {
        await page.locator(`.tabs a[href*="tab=${tab}"]`).tap();
        await page.locator(shown).first().waitFor();
        await checkPage();
      }
    })(context),
  );

  it(
    'without lessons and hours, and for a guardian without a child',
    browserTest(async (stage) => {
      const empty = await createFamily(fixture);
      const page = await empty.open(stage, 'tom');
      await page.getByText('No lessons in these weeks').waitFor();
      await expectNoAxeViolations(page);
      await page.getByRole('link', { name: 'Hours', exact: true }).click();
      await page.getByText('No hours yet').waitFor();
      await expectNoAxeViolations(page);
      const nobody = await openConsole(stage, fixture, { role: 'GUARDIAN', sub: 'nobody' }, { path: '/lessons' });
      await nobody.getByText('No child is linked to you').waitFor();
      await expectNoAxeViolations(nobody);
    }),
  );
});
