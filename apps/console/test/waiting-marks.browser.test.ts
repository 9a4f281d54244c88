import { rollCallCalls } from '@teaching/contracts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { type Stage, browserTest } from '../../../tools/developers/browser/browser-test.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { type Classroom, createClassroom, minutesAgo } from './classroom.ts';
import { expireSession, logIn, logOut, openAccountMenu, type School, startSchool, openLoggedOut } from './log-in.ts';
import { waitForAllSaved, NETWORK_ERRORS, isPressed, markOf, rowOf, waitForMark, waitForQueued } from './sheet.ts';

let school: School;
let fixture: Fixture;
beforeAll(async () => {
  school = await startSchool({ services: ['clazz', 'course', 'package'] });
  fixture = school.fixture;
});
afterAll(() => school?.stop());

const OFFICE = 'Hui Sun 孙慧';
/** Lessons at different times, since the same students are in each class. */
const CARMEN = { teacher_id: 'carmen-vega', name: 'Carmen Vega', starts_at: minutesAgo(10) };
const JAMES = { teacher_id: 'james-carter', name: 'James Carter', starts_at: minutesAgo(100) };
const ELENA = { teacher_id: 'elena-rossi', name: 'Elena Rossi', starts_at: minutesAgo(200) };
const AMIRA = { teacher_id: 'amira-haddad', name: 'Amira Haddad', starts_at: minutesAgo(300) };
const DANIEL = { teacher_id: 'daniel-weber', name: 'Daniel Weber', starts_at: minutesAgo(400) };

const roomOf = ({ teacher_id, starts_at }: typeof CARMEN): Promise<Classroom> =>
  createClassroom(fixture, 3, { org: fixture.org, teacher_id, starts_at });
const sheetOf = ({ lesson_id }: Classroom): string => `/roll-call/${lesson_id}`;

/** Opens the roll call of a class as its teacher. */
const atSheet = async (stage: Stage, room: Classroom, name: string, options = {}): Promise<Page> => {
  stage.allow(NETWORK_ERRORS);
  const page = await openLoggedOut(stage, fixture, sheetOf(room), options);
  await logIn(page, fixture, name);
  return page;
};

/** Blocks requests that send marks; other requests pass. */
const blockMarks = (page: Page): Promise<unknown> =>
  page
    .context()
    .route('**/roll-call', (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()));
const unblockMarks = (page: Page): Promise<void> => page.context().unroute('**/roll-call');

/** The students whose marks this browser sends from now on. */
const sentFrom = (page: Page): string[] => {
  const sent: string[] = [];
  page.context().on('request', (request) => {
    if (request.method() !== 'PUT' || !request.url().endsWith('/roll-call')) return;
    const { marks } = rollCallCalls.submitRollCall.body.parse(request.postDataJSON());
    sent.push(...marks.map(({ student_id }) => student_id));
  });
  return sent;
};
const markedBy = async ({ readRollCall }: Classroom) => (await readRollCall()).marks.map(({ marked_by }) => marked_by);

/** Ends the session, and waits until the page shows it. */
const endSession = async (page: Page): Promise<void> => {
  await page.context().clearCookies({ name: /^teaching/ });
  await page.context().setOffline(false);
  await page.getByText('Your session has ended').waitFor();
};

it(
  'keeps queued marks after a log-out, and sends them only when the same teacher logs in again',
  browserTest(async (stage) => {
    const room = await roomOf(CARMEN);
    const page = await atSheet(stage, room, CARMEN.name);
    await page.context().setOffline(true);
    await markOf(page, 's-00', 'Late').click();
    await markOf(page, 's-01', 'Absent').click();
    await waitForQueued(page, 2);
    await openAccountMenu(page);
    await page.getByText('2 marks are not saved yet').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('This device has no network').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await blockMarks(page);
    await page.context().setOffline(false);
    await logOut(page);
    await unblockMarks(page);

    const sent = sentFrom(page);
    await logIn(page, fixture, OFFICE);
    await page.goto(`${fixture.address}${sheetOf(room)}`);
    await settled(page);
    expect(await rowOf(page, 's-00').locator('[aria-pressed=true]').count()).toBe(0);
    expect(await page.getByText(/\d waiting/).count()).toBe(0);
    await markOf(page, 's-02', 'Present').click();
    await waitForAllSaved(page);
    await openAccountMenu(page);
    expect(await page.getByText('not saved yet').count()).toBe(0);
    await page.getByRole('button', { name: 'Close' }).click();
    await logOut(page);
    expect(sent).toEqual(['s-02']);
    expect(await room.marks()).toEqual([null, null, 'present']);

    await logIn(page, fixture, CARMEN.name);
    await expect.poll(room.marks).toEqual(['late', 'absent', 'present']);
    expect(await markedBy(room)).toEqual(['carmen-vega', 'carmen-vega', 'hui-sun']);
  }),
);

it(
  'keeps queued marks when the session ends, and sends them after a new log-in',
  browserTest(async (stage) => {
    const room = await roomOf(JAMES);
    const page = await atSheet(stage, room, JAMES.name, PHONE);
    await page.context().setOffline(true);
    await markOf(page, 's-00', 'Late').tap();
    await waitForQueued(page, 1);
    await endSession(page);
    await page.getByText('1 mark is not saved yet').waitFor();
    await markOf(page, 's-01', 'Present').tap();
    await waitForQueued(page, 2);
    await page.getByText('2 marks are not saved yet').waitFor();
    await expectNoAxeViolations(page);
    expect(await room.marks()).toEqual([null, null, null]);
    await page.getByRole('button', { name: 'Log in' }).tap();
    await page.waitForURL(`${fixture.address}${sheetOf(room)}`);
    await waitForAllSaved(page);
    expect(await isPressed(page, 's-00', 'Late')).toBe(true);
    expect(await room.marks()).toEqual(['late', 'present', null]);
    expect(await page.getByText('Your session has ended').count()).toBe(0);
  }),
);

it(
  'does not end the session if the provider does not answer',
  browserTest(async (stage) => {
    stage.allow(/answered 503/);
    const room = await roomOf(AMIRA);
    const page = await atSheet(stage, room, AMIRA.name);
    await expireSession(page);
    const noAnswer = { status: 503, json: { code: 'unavailable' } };
    await page.context().route('**/auth/refresh', (route) => route.fulfill(noAnswer));
    const refreshed = page.waitForResponse('**/auth/refresh');
    await markOf(page, 's-00', 'Late').click();
    await refreshed;
    await waitForQueued(page, 1);
    await page.context().unroute('**/auth/refresh');
    await waitForAllSaved(page);
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    expect(await room.marks()).toEqual(['late', null, null]);
  }),
);

it(
  'warns that marks are lost with the page if the browser cannot store them',
  browserTest(async (stage) => {
    const room = await roomOf(DANIEL);
    const page = await atSheet(stage, room, DANIEL.name);
    await page.addInitScript(`Object.defineProperty(window, 'indexedDB', { value: undefined })`);
    await page.reload();
    await settled(page);
    await page.context().setOffline(true);
    await markOf(page, 's-00', 'Late').click();
    await waitForQueued(page, 1);
    await openAccountMenu(page);
    await page.getByText('lost when you leave this page').waitFor();
    await page.context().setOffline(false);
    await page.getByText('not saved yet').waitFor({ state: 'detached' });
    expect(await room.marks()).toEqual(['late', null, null]);
  }),
);

it(
  'notices by a mark that the session has ended, and continues after a log-in in another window',
  browserTest(async (stage) => {
    const room = await roomOf(ELENA);
    const page = await atSheet(stage, room, ELENA.name);
    await page.context().clearCookies({ name: /^teaching/ });
    await markOf(page, 's-00', 'Absent').click();
    await page.getByText('Your session has ended').waitFor();
    await waitForQueued(page, 1);
    const other = await page.context().newPage();
    await other.goto(fixture.address);
    // The provider still has its own session.
    await other.getByRole('link', { name: 'Log in' }).click();
    await other.waitForURL('**/week');
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    await waitForAllSaved(page);
    await markOf(page, 's-01', 'Present').click();
    await expect.poll(room.marks).toEqual(['absent', 'present', null]);
    expect(await markedBy(room)).toEqual(['elena-rossi', 'elena-rossi', null]);

    await logOut(other);
    await page.getByText('Your session has ended').waitFor();
    // This window receives no hints meanwhile.
    await room.asSupervisor.ok(rollCallCalls.submitRollCall, {
      path: { lesson_id: room.lesson_id },
      body: { marks: [{ student_id: 's-02', mark: 'leave' }] },
    });
    await logIn(other, fixture, ELENA.name);
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    await waitForMark(page, 's-02', 'Excused');
  }),
);
