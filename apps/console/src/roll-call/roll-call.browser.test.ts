import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rollCallCalls } from '@teaching/contracts';
import { expectNoAxeViolations } from '../../../../tools/developers/browser/axe.ts';
import { APPEARANCES } from '../../../../tools/developers/browser/appearance.ts';
import { type Visit, WITH_CONSOLE } from '../../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../../tools/developers/browser/device.ts';
import { logInAs } from '../../../../tools/developers/browser/log-in-as.ts';
import { type Stage, browserTest } from '../../../../tools/developers/browser/browser-test.ts';
import { type Fixture, type Person, startFixture } from '../../../../tools/proofs/test/fixture.ts';
import { lessonAt } from '../../../../tools/proofs/test/clazz.ts';
import { type Classroom, createClassroom, excuseStudent, minutesAgo } from '../../test/classroom.ts';
import { expectUndone } from '../../test/org-state.ts';
import {
  waitForAllSaved,
  NETWORK_ERRORS,
  waitForServiceWorker,
  markOf,
  openSheetAt,
  rowOf,
  waitForMark,
  waitForQueued,
} from '../../test/sheet.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const openSheet = (stage: Stage, room: Classroom, person: Person, visit: Visit = {}): Promise<Page> =>
  openSheetAt(stage, fixture, room, person, visit);

it(
  'marks thirty students, all present but two, in three taps on a phone',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 30);
    const page = await openSheet(stage, room, room.teacher, PHONE);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('button', { name: 'All present (30)' }).tap();
    await markOf(page, 's-07', 'Absent').tap();
    await markOf(page, 's-21', 'Late').tap();
    await waitForAllSaved(page);
    const marks = await room.marks();
    expect([marks[7], marks[21], marks.filter((mark) => mark === 'present').length]).toEqual(['absent', 'late', 28]);
  }),
);

it(
  'moves no row while marks are saved and hours change',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 30);
    const page = await openSheet(stage, room, room.teacher, PHONE);
    const tops = () =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('[data-student]')].map((row) => row.getBoundingClientRect().top + scrollY)`,
      );
    const before = await tops();
    await page.getByRole('button', { name: 'All present (30)' }).tap();
    expect(await tops()).toEqual(before);
    await rowOf(page, 's-29').getByText('1 h in debt').waitFor();
    await waitForAllSaved(page);
    expect(await tops()).toEqual(before);
  }),
);

it(
  'shows that a lesson does not exist, if it belongs to another school or its address is invalid',
  browserTest(async (stage) => {
    stage.allow(/answered 404/);
    const [ours, theirs] = [await createClassroom(fixture, 1), await createClassroom(fixture, 1)];
    const page = await openSheet(stage, theirs, ours.teacher);
    await page.getByText('There is no such lesson').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await page.content()).not.toContain(theirs.nameOf(0));
    await page.goto(`${fixture.address}/roll-call/abc`);
    await page.getByText('There is no such lesson').waitFor();
    expect(await page.getByText('form').count()).toBe(0);
  }),
);

it(
  'keeps excused students excused when all are marked present',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 3);
    await excuseStudent(room, 's-01');
    const page = await openSheet(stage, room, room.teacher);
    await page.getByText('Excused: A wedding in the family').waitFor();
    await page.getByRole('button', { name: 'All present (2)' }).click();
    await waitForAllSaved(page);
    expect(await room.marks()).toEqual(['present', 'leave', 'present']);
  }),
);

it(
  'continues without network, also after a reload, and sends all marks when the network is back',
  browserTest(async (stage) => {
    stage.allow(NETWORK_ERRORS);
    const room = await createClassroom(fixture, 6);
    const page = await openSheet(stage, room, room.teacher, PHONE);
    await waitForServiceWorker(page);
    await page.reload();
    await markOf(page, 's-00', 'Present').tap();
    await waitForAllSaved(page);
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'All present (5)' }).tap();
    await markOf(page, 's-03', 'Absent').tap();
    await waitForMark(page, 's-03', 'Absent');
    await waitForQueued(page, 5);
    expect((await room.marks()).filter((mark) => mark !== null)).toEqual(['present']);
    await page.reload();
    await waitForQueued(page, 5);
    await waitForMark(page, 's-03', 'Absent');
    await markOf(page, 's-04', 'Excused').tap();
    await page.context().setOffline(false);
    await waitForAllSaved(page);
    expect(await room.marks()).toEqual(['present', 'present', 'present', 'absent', 'leave', 'present']);
  }),
);

it(
  'saves waiting marks within 5 seconds after a frozen server or service answers again, and says which of both waits',
  browserTest(async (stage) => {
    stage.allow(/net::ERR_|answered 503/);
    const room = await createClassroom(fixture, 3);
    const page = await stage.open();
    await page.clock.install();
    await logInAs(page, fixture.token(room.teacher));
    await page.goto(`${fixture.address}/roll-call/${room.lesson_id}`);
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) await page.clock.runFor(1_000);
    };
    // The page's clock runs meanwhile, so this waits for less than one of the longer pauses.
    const waitForSavedSoon = () => page.getByText('All saved').waitFor({ timeout: 5_000 });
    const context = page.context();
    await markOf(page, 's-00', 'Present').click();
    await waitForAllSaved(page);

    await context.route(/\/(api|health)\//, () => undefined);
    await markOf(page, 's-01', 'Late').click();
    await waitForQueued(page, 1);
    await pass(42);
    await page.getByText('1 waiting for the server').waitFor();
    expect(await page.getByText(/no network/i).count()).toBe(0);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await pass(5);
    await waitForSavedSoon();
    expect(await room.marks()).toEqual(['present', 'late', null]);

    const noService = { status: 503, headers: { 'retry-after': '1' }, json: { code: 'unavailable' } };
    await context.route('**/roll-call', (route) => route.fulfill(noService));
    await markOf(page, 's-02', 'Absent').click();
    await pass(42);
    await waitForQueued(page, 1);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await pass(5);
    await waitForSavedSoon();
    expect(await room.marks()).toEqual(['present', 'late', 'absent']);
  }),
);

it(
  'sends queued marks only in the session of the person who entered them',
  browserTest(async (stage) => {
    stage.allow(NETWORK_ERRORS);
    const room = await createClassroom(fixture, 2);
    const page = await openSheet(stage, room, room.teacher);
    await page.context().setOffline(true);
    await markOf(page, 's-00', 'Late').click();
    await waitForQueued(page, 1);
    const authorization = (person: Person) => ({ authorization: `Bearer ${fixture.token(person)}` });
    await page.context().setExtraHTTPHeaders(authorization(room.supervisor));
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Office' }).waitFor();
    await markOf(page, 's-01', 'Present').click();
    await waitForAllSaved(page);
    expect(await room.marks()).toEqual([null, 'present']);
    await page.context().setExtraHTTPHeaders(authorization(room.teacher));
    await page.goto(`${fixture.address}/roll-call/${room.lesson_id}`);
    await expect.poll(room.marks).toEqual(['late', 'present']);
  }),
);

it(
  'shows two teachers each other’s marks, and asks before one overwrites the other',
  browserTest(async (stage) => {
    stage.allow(/net::ERR_|answered 409/);
    const room = await createClassroom(fixture, 3);
    const [page, other] = [await openSheet(stage, room, room.teacher), await openSheet(stage, room, room.supervisor)];
    await markOf(page, 's-00', 'Present').click();
    await waitForMark(other, 's-00', 'Present');
    await page.context().setOffline(true);
    await markOf(page, 's-01', 'Present').click();
    await markOf(page, 's-02', 'Present').click();
    await waitForQueued(page, 2);
    await markOf(other, 's-01', 'Absent').click();
    await waitForAllSaved(other);
    await page.context().setOffline(false);
    await rowOf(page, 's-01').getByText('Office marked “Absent”').waitFor();
    await expect.poll(room.marks).toEqual(['present', 'absent', 'present']);
    await rowOf(page, 's-01').getByRole('button', { name: 'Save mine: Present' }).click();
    await waitForAllSaved(page);
    expect(await room.marks()).toEqual(['present', 'present', 'present']);
    await expectNoAxeViolations(page);
  }),
);

it(
  'asks also if another mark arrived while the dialog was open',
  browserTest(async (stage) => {
    stage.allow(/answered 409/);
    const room = await createClassroom(fixture, 3);
    const page = await openSheet(stage, room, room.teacher);
    await rowOf(page, 's-00').focus();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Late', exact: true }).click();
    const marks = [{ student_id: 's-00', mark: 'absent' as const }];
    await room.asSupervisor.ok(rollCallCalls.submitRollCall, { path: { lesson_id: room.lesson_id }, body: { marks } });
    await waitForMark(page, 's-00', 'Absent');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await rowOf(page, 's-00')
      .getByRole('button', { name: /^Save mine: / })
      .waitFor();
    expect(await room.marks()).toEqual(['absent', null, null]);
  }),
);

it(
  'takes a roll call by keyboard alone, with minutes and a note',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 4);
    const page = await openSheet(stage, room, room.teacher);
    // Keys that arrive faster than the page is drawn.
    await page.evaluate(
      `for (const key of 'pal') (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`,
    );
    await page.keyboard.press('k');
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByRole('button', { name: '10', exact: true }).press('Enter');
    await page.getByRole('textbox', { name: 'Note' }).fill('The bus was late');
    // What was entered is there when the dialog is opened again.
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByText('Your draft is restored').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await rowOf(page, 's-02').getByText('10 min late', { exact: true }).waitFor();
    await rowOf(page, 's-03').focus();
    await page.keyboard.press('e');
    // The page shows “All saved” until the new mark is shown.
    await waitForMark(page, 's-03', 'Excused');
    await waitForAllSaved(page);
    const { marks } = await room.readRollCall();
    expect(marks.map(({ mark }) => mark)).toEqual(['present', 'absent', 'late', 'leave']);
    expect(marks[2]).toMatchObject({ late_minutes: 10, note: 'The bus was late' });
    await page.keyboard.press('p');
    await expect.poll(async () => (await room.marks())[3]).toBe('present');
    await page.keyboard.press('u');
    await expect.poll(async () => (await room.marks())[3]).toBe('leave');
  }),
);

it(
  'keeps a saved mark when an older answer arrives after it',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 2);
    const [page, other] = [await openSheet(stage, room, room.teacher), await openSheet(stage, room, room.supervisor)];
    await markOf(page, 's-00', 'Present').click();
    await waitForAllSaved(page);
    const read = Promise.withResolvers<() => Promise<void>>();
    let reads = 0;
    await page.route('**/roll-call', async (route) => {
      if (route.request().method() === 'PUT') {
        const response = await route.fetch();
        await route.fulfill({ response });
        const answerLate = await read.promise;
        await answerLate();
      } else {
        reads += 1;
        if (reads > 1) return;
        const response = await route.fetch();
        read.resolve(() => route.fulfill({ response }).catch(() => undefined));
      }
    });
    // Another mark, so that the page requests the roll call again.
    await markOf(other, 's-01', 'Present').click();
    await read.promise;
    await markOf(page, 's-00', 'Absent').click();
    await expect.poll(() => reads).toBeGreaterThan(1);
    await waitForAllSaved(page);
    await waitForMark(page, 's-00', 'Absent');
    await page.keyboard.press('u');
    await expect.poll(async () => (await room.marks())[0]).toBe('present');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }),
);

it(
  'undoes a mark that is being sent',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 1);
    await room.asTeacher.ok(rollCallCalls.submitRollCall, {
      path: { lesson_id: room.lesson_id },
      body: { marks: [{ student_id: 's-00', mark: 'absent' }] },
    });
    const page = await openSheet(stage, room, room.teacher);
    const [isRequested, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/roll-call', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback();
      isRequested.resolve();
      await release.promise;
      return route.fallback();
    });
    await markOf(page, 's-00', 'Present').click();
    await isRequested.promise;
    await page.keyboard.press('u');
    release.resolve();
    await waitForAllSaved(page);
    expect(await room.marks()).toEqual(['absent']);
    await rowOf(page, 's-00').getByRole('button', { name: 'Absent', exact: true, pressed: true }).waitFor();
  }),
);

it(
  'undoes saved marks while it offers to, back to the state before',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 3, { starts_at: minutesAgo(-10) });
    const { asTeacher, asSupervisor, lesson_id } = room;
    const undoneBy = async (person: Person): Promise<Page> => {
      const page = await openSheet(stage, room, person);
      const undo = page.getByRole('button', { name: 'Undo' });
      expect(await undo.isDisabled()).toBe(true);
      await expectUndone(
        asSupervisor,
        async () => {
          await page.getByRole('button', { name: 'All present (3)' }).click();
          await waitForAllSaved(page);
        },
        async () => {
          await undo.click();
          await expect.poll(async () => (await room.readRollCall()).lesson.status).toBe('scheduled');
        },
      );
      return page;
    };
    await undoneBy(room.supervisor);
    const page = await undoneBy(room.teacher);
    const undo = page.getByRole('button', { name: 'Undo' });
    await page.getByText('Marks are saved and charged immediately').waitFor();
    const marks = [{ student_id: 's-00', mark: 'late' as const, late_minutes: 5, note: 'bus' }];
    await asTeacher.ok(rollCallCalls.submitRollCall, { path: { lesson_id }, body: { marks } });
    await waitForMark(page, 's-00', 'Late');
    await expectUndone(
      asSupervisor,
      async () => {
        await page.getByRole('button', { name: 'All present (2)' }).click();
        await waitForAllSaved(page);
        await rowOf(page, 's-01').getByText('4 h left').waitFor();
        await rowOf(page, 's-00').locator('.who').click();
        await page.getByRole('dialog').getByRole('button', { name: '20', exact: true }).click();
        await page.getByRole('textbox', { name: 'Note' }).fill('train');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await expect.poll(async () => (await room.readRollCall()).marks[0]?.late_minutes).toBe(20);
        await waitForAllSaved(page);
      },
      async () => {
        await undo.click();
        await undo.click();
        await expect.poll(room.marks).toEqual(['late', null, null]);
        await waitForAllSaved(page);
        await rowOf(page, 's-00').getByText('5 min late').waitFor();
      },
    );
    expect(await undo.isDisabled()).toBe(true);
  }),
);

it(
  'is read-only for a teacher of other lessons, with the reason, and names a substitute',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 1);
    const wu: Person = { role: 'TEACHER', sub: 'wu', org: room.org };
    const page = await openSheet(stage, room, wu, PHONE);
    await page.getByText('Li Na gives this lesson').waitFor();
    expect(await markOf(page, 's-00', 'Present').getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByRole('button', { name: 'All present' }).count()).toBe(0);
    await expectNoAxeViolations(page);
    const given = await lessonAt(room.asSupervisor, room.clazz_id, minutesAgo(100), { teacher_id: 'wu' });
    await page.goto(`${fixture.address}/roll-call/${given.id}`);
    await page.getByText('Wu Jun substitutes for Li Na').waitFor();
    await markOf(page, 's-00', 'Present').tap();
    await waitForAllSaved(page);
    expect(await room.marks()).toEqual([null]);
  }),
);

it(
  'saves the excused students of a lesson without other students',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 1);
    await excuseStudent(room, 's-00');
    const page = await openSheet(stage, room, room.teacher);
    expect(await page.getByText('All are marked').count()).toBe(0);
    await page.getByRole('button', { name: 'Save as excused (1)' }).click();
    await page.getByText('All are marked').waitFor();
    await expect.poll(async () => (await room.readRollCall()).lesson.status).toBe('held');
  }),
);

it.for(APPEARANCES)('has no axe violations: %s, %s', ([locale, colorScheme], context) =>
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, 9);
    await excuseStudent(room, 's-02');
    await room.asTeacher.ok(rollCallCalls.submitRollCall, {
      path: { lesson_id: room.lesson_id },
      body: {
        marks: [
          { student_id: 's-00', mark: 'present' },
          { student_id: 's-01', mark: 'late', late_minutes: 10, note: '公交车晚点 / bus' },
          { student_id: 's-03', mark: 'absent' },
          { student_id: 's-05', mark: 'trial' },
        ],
      },
    });
    for (const size of [{}, PHONE]) {
      const page = await openSheet(stage, room, room.teacher, { ...size, locale, colorScheme });
      await expectNoAxeViolations(page);
      await rowOf(page, 's-01').locator('.who').click();
      await page.getByRole('dialog').locator('.roll-history li').first().waitFor();
      await expectNoAxeViolations(page);
    }
  })(context),
);
