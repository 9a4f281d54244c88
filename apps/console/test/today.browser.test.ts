import type { Page } from 'playwright-core';
import {
  courseCalls,
  hourCalls,
  leaveCalls,
  type Lesson,
  lessonCalls,
  packageCalls,
  policyCalls,
  rollCallCalls,
} from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { APPEARANCES } from '../../../tools/developers/browser/appearance.ts';
import { WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { clazzWith, lessonAt, marking } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { expectUndone, stateOf } from './org-state.ts';
import { createBusyDay, inMinutes, createOffice, noonZone, type Office } from './office.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'package', 'course'], env: WITH_CONSOLE });
});
afterAll(() => fixture.stop());

const list = (page: Page, title: string) =>
  page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) });
const statusOf = async ({ api }: Office, id: string): Promise<string> =>
  (await api.ok(leaveCalls.getLeave, { path: { id } })).status;
/** A package of 40 hours for 760 €, whose hours expire after a year. */
const createPackage = async ({ api }: Office): Promise<void> => {
  const { id: course_id } = await api.ok(courseCalls.createCourse, { body: { title: 'Algebra' } });
  const body = { title: 'Algebra 40', price_minor: 76_000, currency: 'EUR', total_hours: '40', validity_days: 365 };
  const { id } = await api.ok(packageCalls.createPackage, { body });
  await api.ok(packageCalls.syncPackageItems, {
    body: { package_id: id, items: [{ course_id, title: 'Algebra', hours: '40' }] },
  });
  await api.ok(packageCalls.publishPackage, { path: { id } });
};
const path = (page: Page): string => new URL(page.url()).pathname + new URL(page.url()).search;

describe('Today', () => {
  let office: Office;
  let day: { over: Lesson; running: Lesson; coming: Lesson; kept: Lesson; cancelled: Lesson; leave: string };
  beforeAll(async () => {
    office = await createOffice(fixture);
    day = await createBusyDay(office);
    await office.api.patch(`/clazz/lesson/${day.over.id}`, { teacher_id: 'wu' });
  });

  it(
    'shows running and next lessons and open work, with names',
    browserTest(async (stage) => {
      const page = await office.open(stage);
      const now = await list(page, 'Now').innerText();
      expect(now).toContain('Botany');
      expect(now).toContain('Wu Fang · Room 2');
      expect(now).toMatch(/\d+ min left/);
      expect(now).toContain('No roll call yet');
      expect(now).not.toContain('Substitute');
      expect(await list(page, 'Next').innerText()).toContain('Algebra');
      await list(page, 'Earlier').getByText('Wu Fang · Room 1 · Substitute for Li Wei').waitFor();
      expect(await page.locator('section s').first().innerText()).toBe('Botany');
      expect(await list(page, 'Open roll calls').getByRole('link').count()).toBe(1);
      expect(await list(page, 'Accepted conflicts').innerText()).toContain('both in Room 1');
      expect(await list(page, 'Low on hours').innerText()).toContain('Tom Reed');
      expect(await list(page, 'Hours expiring').innerText()).toContain('10 h expire');
      const figures = await page.getByRole('list', { name: 'At a glance' }).innerText();
      expect(figures.replaceAll(/\s+/g, ' ')).toBe(
        '4 Lessons 1 Leave to decide 1 Open roll calls 1 Accepted conflicts 1 Low on hours 1 Hours expiring',
      );
    }),
  );

  it(
    'links a missing roll call to its sheet, and a clash to the timetable of its day',
    browserTest(async (stage) => {
      const page = await office.open(stage);
      await list(page, 'Open roll calls')
        .getByRole('link', { name: /Algebra/ })
        .click();
      await page.waitForURL(`**/roll-call/${day.over.id}`);
      await page.goBack();
      await settled(page);
      const clash = list(page, 'Accepted conflicts').getByRole('link');
      expect(await clash.getAttribute('href')).toMatch(`lesson=${day.kept.id}`);
    }),
  );

  it(
    'moves by day with buttons and arrow keys, and keeps the day in the address',
    browserTest(async (stage) => {
      const page = await office.open(stage, { path: '/today?date=2026-03-10&low=5' });
      expect(await page.locator('h1').innerText()).toBe('Tuesday 10 March');
      await page.getByRole('button', { name: 'Day after' }).click();
      await page.waitForURL(/date=2026-03-11/);
      await page.locator('h1').click();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await page.waitForURL(/date=2026-03-09/);
      await page.getByRole('button', { name: 'Today' }).click();
      await page.waitForURL(/today\?low=5$/);
      expect(await page.locator('h1').innerText()).toBe('Today');
      await page.getByLabel('Less than').selectOption('1');
      expect(path(page)).toBe('/today?low=1');
      await page.getByLabel('Less than').selectOption('3');
      expect(path(page)).toBe('/today');
    }),
  );

  it(
    'shows the other lists when one fails, and a retry button',
    browserTest(async (stage) => {
      stage.allow(/answered 500/);
      const page = await stage.open();
      await page.route('**/api/v1/clazz/leave?*', (route) =>
        route.fulfill({ status: 500, json: { code: 'internal', request_id: 'r-1', title: 'x', status: 500 } }),
      );
      const opened = await office.open({ ...stage, open: () => Promise.resolve(page) });
      const leave = list(opened, 'Leave to decide');
      await leave.getByRole('alert').waitFor();
      expect(await leave.innerText()).toContain('r-1');
      expect(await list(opened, 'Open roll calls').innerText()).toContain('Algebra');
      await page.unroute('**/api/v1/clazz/leave?*');
      await leave.getByRole('button', { name: 'Try again' }).click();
      await leave.getByText('Mia Berg').waitFor();
      expect(await leave.getByRole('alert').count()).toBe(0);
    }),
  );

  it.for(APPEARANCES)('has no axe violations: %s, %s', ([locale, colorScheme], context) =>
    browserTest(async (stage) => {
      const page = await office.open(stage, { ...PHONE, locale, colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await expectNoAxeViolations(page);
      // Chinese has a space between a number and a word.
      expect((await page.locator('.near .clock').allInnerTexts()).join(' ')).not.toMatch(/\d\p{Script=Han}/u);
      await page.locator('.hours button.waiting').last().click();
      await page.locator('dialog .entry').first().waitFor();
      expect(await page.locator('dialog p:has(.large)').innerText()).toMatch(/^(10 hours left|剩余 10 课时)$/);
      await expectNoAxeViolations(page);
      await page.locator('dialog .segments label').last().click();
      await page.locator('dialog .acts button').first().click();
      await page.locator('dialog .facts').waitFor();
      const dialog = await page
        .locator('dialog')
        .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
      expect(dialog[0]).toBe(dialog[1]);
      await expectNoAxeViolations(page);
    })(context),
  );
});

describe('Actions on Today', () => {
  it(
    'approves a leave, hides it on a colleague’s page at once, and can undo it',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { leave } = await createBusyDay(office);
      const [page, colleague] = [await office.open(stage), await office.open(stage)];
      await list(colleague, 'Leave to decide').getByText('Mia Berg').waitFor();
      const approve = page.getByRole('button', { name: 'Approve the leave of Mia Berg', exact: true });
      await expectUndone(
        office.api,
        async () => {
          await approve.click();
          await page.getByText('Leave of Mia Berg approved').waitFor();
          expect(await list(page, 'Leave to decide').innerText()).toContain('No leave requests to decide');
          await list(colleague, 'Leave to decide').getByText('No leave requests to decide').waitFor();
          expect(await statusOf(office, leave)).toBe('approved');
        },
        async () => {
          await page.getByRole('button', { name: 'Undo' }).click();
          await approve.waitFor();
          await page.getByText('is to be decided again').waitFor();
        },
      );
      await list(colleague, 'Leave to decide').getByText('Mia Berg').waitFor();
    }),
  );

  it(
    'approves only one leave on a double click',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { coming } = await createBusyDay(office);
      const tom = fixture.as({ role: 'STUDENT', org: office.org, sub: 'tom' });
      await tom.ok(leaveCalls.requestLeave, { body: { lesson_id: coming.id, reason: 'a dentist' } });
      const page = await office.open(stage);
      await page
        .getByRole('button', { name: /^Approve the leave of (?!.*note)/ })
        .first()
        .dblclick();
      await page.getByText(/^Leave of .* approved$/).waitFor();
      expect(await page.getByRole('button', { name: /^Approve the leave of (?!.*note)/ }).count()).toBe(1);
      const { items } = await office.api.ok(leaveCalls.listLeaves, { query: { status: 'pending' } });
      expect(items).toHaveLength(1);
    }),
  );

  it(
    'rejects a leave with a reason that the student sees, by keyboard alone, and can undo it',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { leave } = await createBusyDay(office);
      const page = await office.open(stage);
      await page.getByRole('button', { name: 'Reject the leave of Mia Berg' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type('an exam');
      await page.keyboard.press('Enter');
      await page.getByText('Leave of Mia Berg rejected').waitFor();
      const student = fixture.as({ role: 'STUDENT', org: office.org, sub: 'mia' });
      const rejected = await student.ok(leaveCalls.getLeave, { path: { id: leave } });
      expect(rejected).toMatchObject({ status: 'rejected', decision_reason: 'an exam' });
      expect(await page.evaluate('document.activeElement.id')).toBe('leave');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Reject the leave of Mia Berg' }).waitFor();
      expect(await statusOf(office, leave)).toBe('pending');
    }),
  );

  it(
    'shows a leave again when its approval is refused, with what to do',
    browserTest(async (stage) => {
      stage.allow(/\/approve answered 409/);
      const office = await createOffice(fixture);
      const { coming, leave } = await createBusyDay(office);
      const page = await office.open(stage);
      const { api } = office;
      // Meanwhile the lesson has begun, and Mia is marked present.
      await api.patch(`/clazz/lesson/${coming.id}`, { starts_at: inMinutes(-20), ends_at: inMinutes(40) });
      await api.ok(rollCallCalls.submitRollCall, marking(coming.id, { mia: 'present' }));
      await page.getByRole('button', { name: 'Approve the leave of Mia Berg', exact: true }).click();
      await page.getByText('The roll call shows that the student was present').waitFor();
      expect(await statusOf(office, leave)).toBe('pending');
      await page.getByLabel('Reason (required; shown to the person who asked)').fill('left after five minutes');
      await page.getByRole('button', { name: 'Approve anyway' }).click();
      await page.getByText('Leave of Mia Berg approved').waitFor();
      expect(await statusOf(office, leave)).toBe('approved');
    }),
  );

  it(
    'names the rule of the hours, keeps them in a draft, grants them to a student, and undoes the grant',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      await createBusyDay(office);
      const page = await office.open(stage);
      const before = await stateOf(office.api);
      const low = list(page, 'Low on hours');
      await low.getByRole('button', { name: /Tom Reed/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Tom Reed' });
      const hours = dialog.getByRole('textbox', { name: 'Hours' });
      await hours.fill('0');
      await dialog.getByRole('button', { name: 'Grant hours' }).click();
      await dialog.getByText('Enter a number from 0.01 to 10,000, with up to 2 decimals.').waitFor();
      await hours.fill('12,5');
      await dialog.getByLabel('Valid until').fill('2027-06-30');
      await page.goBack();
      await dialog.waitFor({ state: 'detached' });
      await low.getByRole('button', { name: /Tom Reed/ }).click();
      await dialog.getByText('Your draft is restored').waitFor();
      await dialog.getByRole('button', { name: 'Grant 12.5 h' }).click();
      await page.getByText('12.5 h granted to Tom Reed').waitFor();
      await low.getByText('No student has less than 3 h.').waitFor();
      const { lots } = await office.api.ok(hourCalls.getHourAccount, { path: { student_id: 'tom' } });
      expect(lots).toMatchObject([{ granted: '12.50' }]);
      const until = new Intl.DateTimeFormat('en-CA', {
        timeZone: noonZone(),
        dateStyle: 'short',
        timeStyle: 'short',
        hourCycle: 'h23',
      });
      expect(until.format(new Date(lots[0]?.expires_at ?? 0))).toBe('2027-07-01, 00:00');
      await page.getByRole('button', { name: 'Undo' }).click();
      await low.getByRole('button', { name: /Tom Reed.*0 h left/ }).waitFor();
      expect(await stateOf(office.api)).toEqual(before);
    }),
  );

  it(
    'grants hours once if they are sent again after an unknown result',
    browserTest(async (stage) => {
      stage.allow(/hour\/grant|net::ERR_/);
      const office = await createOffice(fixture);
      await createBusyDay(office);
      const page = await office.open(stage);
      await list(page, 'Low on hours')
        .getByRole('button', { name: /Tom Reed/ })
        .click();
      const dialog = page.getByRole('dialog', { name: 'Tom Reed' });
      const hours = dialog.getByRole('textbox', { name: 'Hours' });
      await hours.fill('12.5');
      // Selecting text and releasing outside the dialog does not close it.
      const { x, y } = (await hours.boundingBox()) ?? { x: 0, y: 0 };
      await page.mouse.move(x + 30, y + 10);
      await page.mouse.down();
      await page.mouse.move(5, 5);
      await page.mouse.up();
      const unknown = { status: 400, json: { code: 'outcome_unknown', title: 'Unknown', request_id: 'r' } };
      await page.route('**/hour/grant', async (route) => {
        await route.fetch();
        await route.fulfill(unknown);
      });
      await dialog.getByRole('button', { name: 'Grant 12.5 h' }).click();
      await dialog.getByText('It may or may not be saved').waitFor();
      await page.unroute('**/hour/grant');
      await dialog.getByRole('button', { name: 'Grant 12.5 h' }).click();
      await page.getByText('12.5 h granted to Tom Reed').waitFor();
      const { lots } = await office.api.ok(hourCalls.getHourAccount, { path: { student_id: 'tom' } });
      expect(lots).toMatchObject([{ granted: '12.50' }]);
    }),
  );

  it(
    'shows package, price and validity before and after hours are granted',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      await createBusyDay(office);
      await createPackage(office);
      const page = await office.open(stage);
      await list(page, 'Low on hours')
        .getByRole('button', { name: /Tom Reed/ })
        .click();
      const dialog = page.getByRole('dialog', { name: 'Tom Reed' });
      await dialog.getByRole('combobox').selectOption('Algebra 40');
      await dialog.getByText('Algebra 40 · €760.00 · until').waitFor();
      await dialog.getByRole('textbox', { name: 'Hours' }).fill('10');
      await dialog.getByText('Algebra 40 · €190.00 · until').waitFor();
      await dialog.getByRole('button', { name: 'Grant 10 h for €190.00' }).click();
      await page.getByText('10 h granted to Tom Reed for €190.00 (Algebra 40)').waitFor();
      // The undo of a sale is a refund, so only the history offers it, after a question.
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      const { lots } = await office.api.ok(hourCalls.getHourAccount, { path: { student_id: 'tom' } });
      expect(lots).toMatchObject([{ granted: '10.00', price_minor: 19_000, currency: 'EUR' }]);
      await page.getByRole('button', { name: 'Find a student' }).click();
      await page.getByRole('searchbox').fill('tom');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Tom Reed/ })
        .click();
      await dialog.getByRole('button', { name: 'Undo the grant' }).click();
      await dialog.getByText('€190.00 are booked as a refund').waitFor();
      await dialog.getByRole('button', { name: 'Undo the grant' }).click();
      await dialog.getByText('Paid back').waitFor();
      await dialog.getByText('0 hours left').waitFor();
      expect(await dialog.getByRole('button', { name: 'Undo the grant' }).count()).toBe(0);
    }),
  );

  it(
    'opens the account of any student by a search, and shows why hours are owed',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { over } = await createBusyDay(office);
      await office.api.ok(rollCallCalls.submitRollCall, marking(over.id, { tom: 'absent' }));
      const page = await office.open(stage);
      const find = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: 'Find a student' }).click();
        await page.getByRole('dialog').getByRole('searchbox').fill(name.slice(0, 2));
        await page.keyboard.press('Enter');
      };
      await find('王小明');
      await page.getByRole('dialog', { name: '王小明' }).getByText('20 of 20 h').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await find('Tom Reed');
      const dialog = page.getByRole('dialog', { name: 'Tom Reed' });
      await dialog.getByText('1 hour owed').waitFor();
      expect(await dialog.locator('.entry').first().innerText()).toMatch(/Algebra: absent[^]*−1 h[^]*1 h owed/);
      await dialog.getByRole('textbox', { name: 'Hours' }).fill('0.4');
      await dialog.getByLabel('Valid until').fill('2020-01-01');
      await dialog.getByText('covers 0.4 h owed; 0.6 h stay owed').waitFor();
      await dialog.getByRole('button', { name: 'Grant 0.4 h' }).click();
      await dialog.getByText(/^Enter a date from .* on\.$/).waitFor();
      await dialog.getByLabel('Valid until').fill('');
      await dialog.getByRole('button', { name: 'Grant 0.4 h' }).click();
      await page.getByText('0.4 h granted to Tom Reed').waitFor();
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      await find('Tom Reed');
      await dialog.getByText('1 earlier grant with no hours left').waitFor();
      const entry = (n: number) => dialog.locator('.entry').nth(n).innerText();
      await expect.poll(() => entry(0)).toMatch(/^0\.4 h owed covered by hours left[^h]*0\.6 h owed$/);
      expect(await entry(1)).toMatch(/Hours added[^]*\+0\.4 h/);
      expect(await dialog.getByRole('button', { name: 'Undo the grant' }).count()).toBe(0);
    }),
  );

  it(
    'enters leave after a call and after the lesson, and shows it as approved',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { api } = office;
      const { over } = await createBusyDay(office);
      await api.ok(rollCallCalls.submitRollCall, marking(over.id, { tom: 'absent', mia: 'present' }));
      const leave = { late: 'refuse' } as const;
      await api.ok(policyCalls.putPolicy, { body: { zone: noonZone(), leave } });
      const page = await office.open(stage);
      const dialog = page.getByRole('dialog', { name: 'Tom Reed' });
      const enter = async (group: RegExp): Promise<void> => {
        await list(page, 'Low on hours')
          .getByRole('button', { name: /Tom Reed/ })
          .click();
        await dialog.getByText('Leave', { exact: true }).click();
        await dialog
          .locator('section', { hasText: group })
          .getByRole('button', { name: /^Enter leave: Algebra/ })
          .click();
        await dialog.getByLabel('Reason of the student').fill('a dentist');
      };
      await expectUndone(
        api,
        async () => {
          await enter(/next 4 weeks/);
          await dialog.getByLabel('Why leave is accepted after the deadline').fill('an accident');
          await dialog.getByRole('button', { name: 'Enter and approve' }).click();
          await page.getByText('Leave of Tom Reed entered and approved; it charges 0.5 h').waitFor();
          await page.getByText('Approved', { exact: true }).click();
          await list(page, 'Approved leave').getByText('a dentist').waitFor();
        },
        async () => {
          await page.getByRole('button', { name: 'Undo' }).click();
          await page.getByText('Leave of Tom Reed withdrawn').waitFor();
        },
      );
      stage.allow(/leave\/.*\/approve answered 400/);
      await enter(/last 14 days/);
      await dialog.getByText('Roll call: Absent').waitFor();
      await dialog.getByText('this leave cannot be withdrawn here').waitFor();
      expect(await dialog.getByLabel('Why leave is approved').count()).toBe(0);
      await api.ok(policyCalls.putPolicy, {
        body: { zone: noonZone(), leave, roll_call: { edit_window_days: 0 } },
      });
      await dialog.getByLabel('Time of the phone call').fill('2100-01-01T09:00');
      await dialog.getByRole('button', { name: 'Enter and approve' }).click();
      await dialog.getByText(/^Enter a time until /).waitFor();
      await dialog.getByLabel('Time of the phone call').fill(`${inMinutes(-60 * 24 * 3).slice(0, 10)}T09:00`);
      expect(await dialog.getByLabel('Why leave is accepted').count()).toBe(0);
      await dialog.getByRole('button', { name: 'Enter and approve' }).click();
      await page.getByText('Leave of Tom Reed is entered, but not approved').waitFor();
      await page.getByText('To decide', { exact: true }).click();
      await page.getByText('The reason is missing').waitFor();
      await page.getByLabel('Reason (required; shown to the person who asked)').fill('a call in time');
      await page.getByRole('button', { name: 'Approve anyway' }).click();
      await page.getByText('Leave of Tom Reed approved').waitFor();
      const { items } = await api.ok(leaveCalls.listLeaves, { query: { student_id: 'tom', status: 'approved' } });
      expect(items).toMatchObject([{ lesson_id: over.id, in_time: true }]);
    }),
  );

  it(
    'asks why leave is approved of a student who attended, before it is entered, and before leave is withdrawn',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { api } = office;
      const { over, leave } = await createBusyDay(office);
      await api.ok(rollCallCalls.submitRollCall, marking(over.id, { mia: 'present' }));
      await api.ok(leaveCalls.approveLeave, { path: { id: leave } });
      const page = await office.open(stage);
      await list(page, 'Hours expiring')
        .getByRole('button', { name: /Mia Berg/ })
        .click();
      const dialog = page.getByRole('dialog', { name: 'Mia Berg' });
      await dialog.getByText('Leave', { exact: true }).click();
      await dialog.getByRole('button', { name: /^Withdraw the leave/ }).click();
      await dialog.getByText('The student is expected at the lesson again').waitFor();
      expect(await statusOf(office, leave)).toBe('approved');
      await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click();
      await page.getByText('Leave of Mia Berg withdrawn').waitFor();
      await dialog
        .locator('section', { hasText: /last 14 days/ })
        .getByRole('button', { name: /^Enter leave/ })
        .click();
      await dialog.getByText('Roll call: Present').waitFor();
      await dialog.getByLabel('Reason of the student').fill('a fever');
      await dialog.getByLabel('Time of the phone call').fill(`${inMinutes(-60 * 24 * 3).slice(0, 10)}T09:00`);
      await dialog.getByRole('button', { name: 'Enter and approve' }).click();
      await dialog.getByText('Fill in this field.').waitFor();
      await dialog.getByLabel('although the student attended').fill('left after five minutes');
      await dialog.getByRole('button', { name: 'Enter and approve' }).click();
      await page.getByText('Leave of Mia Berg entered and approved').waitFor();
      const { items } = await api.ok(leaveCalls.listLeaves, { query: { student_id: 'mia', status: 'approved' } });
      expect(items).toMatchObject([{ lesson_id: over.id, decision_reason: 'left after five minutes' }]);
    }),
  );

  it(
    'shows at once that a teacher takes a missing roll call',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { over } = await createBusyDay(office);
      const page = await office.open(stage);
      const rollCalls = list(page, 'Open roll calls');
      await rollCalls.getByText('Algebra').waitFor();
      const teacher = fixture.as({ role: 'TEACHER', org: office.org, sub: 'li' });
      await teacher.ok(rollCallCalls.submitRollCall, marking(over.id, { mia: 'present' }));
      await rollCalls.getByText('1 of 2 marked').waitFor();
      await teacher.ok(rollCallCalls.submitRollCall, marking(over.id, { tom: 'absent' }));
      await rollCalls.getByText('No roll call is open.').waitFor();
      await list(page, 'Earlier').getByText('1 of 2 present').waitFor();
    }),
  );

  it(
    'shows only a message when there is nothing to do',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const page = await office.open(stage);
      await page.getByText('Nothing to do').waitFor();
      expect(await page.locator('h2').allInnerTexts()).toEqual([]);
      await page.getByText('No lessons on this day').waitFor();
      await expectNoAxeViolations(page);
      const { api } = office;
      const lesson = await lessonAt(api, await clazzWith(api, [], { name: 'Algebra' }), inMinutes(30));
      await page.getByText('Algebra').waitFor();
      await api.ok(lessonCalls.cancelLesson, { path: { lesson_id: lesson.id } });
      await page.getByText('All lessons of today are cancelled').waitFor();
    }),
  );
});
