import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rollCallCalls } from '@teaching/contracts';
import { expectNoAxeViolations } from '../../../../tools/developers/browser/axe.ts';
import { WITH_CONSOLE } from '../../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../../tools/developers/browser/device.ts';
import { browserTest } from '../../../../tools/developers/browser/browser-test.ts';
import { type Fixture, startFixture } from '../../../../tools/proofs/test/fixture.ts';
import { type Classroom, createClassroom, minutesAgo } from '../../test/classroom.ts';
import { waitForAllSaved, isPressed, markOf, openSheetAt, rowOf } from '../../test/sheet.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package'], env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const DAY_MIN = 1_440;
/** A lesson whose edit window is over; its first student has a mark. */
const closedClassroom = async (): Promise<Classroom> => {
  const room = await createClassroom(fixture, 3, { starts_at: minutesAgo(9 * DAY_MIN) });
  await room.asSupervisor.ok(rollCallCalls.submitRollCall, {
    path: { lesson_id: room.lesson_id },
    body: { marks: [{ student_id: 's-00', mark: 'absent' }], reason: 'The sheet was on paper' },
  });
  return room;
};
const isReadOnly = async (page: Page): Promise<boolean> =>
  (await markOf(page, 's-00', 'Present').getAttribute('aria-disabled')) === 'true' &&
  (await page.getByRole('button', { name: 'All present', disabled: false }).count()) === 0;
/** Clicks a mark although it is disabled. */
const clickDisabledMark = (page: Page): Promise<void> => markOf(page, 's-00', 'Present').click({ force: true });
const detailOf = async (page: Page, student_id: string) => {
  await rowOf(page, student_id).locator('.who').click();
  return page.getByRole('dialog');
};

it(
  'shows a closed roll call read-only to its teacher, with the hint that the office can correct it',
  browserTest(async (stage) => {
    const room = await closedClassroom();
    const page = await openSheetAt(stage, fixture, room, room.teacher, PHONE);
    await page.locator('.message').getByText('The office can still correct it').waitFor();
    expect(await isReadOnly(page)).toBe(true);
    const weightOf = (mark: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('[data-student="s-00"] .mark.${mark}')).fontWeight`,
      );
    expect(await Promise.all(['present', 'absent'].map(weightOf))).toEqual(['450', '650']);
    await clickDisabledMark(page);
    await page.locator('.toast').getByText('The office can still correct it').waitFor();
    expect(await isPressed(page, 's-00', 'Absent')).toBe(true);
    expect(await page.getByText('waiting').count()).toBe(0);
    const detail = await detailOf(page, 's-01');
    await detail.getByText('The office can still correct it').waitFor();
    expect(await detail.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await expectNoAxeViolations(page);
    expect(await room.marks()).toEqual(['absent', null, null]);
  }),
);

it(
  'lets a supervisor correct a closed roll call only with a reason',
  browserTest(async (stage) => {
    const room = await closedClassroom();
    const page = await openSheetAt(stage, fixture, room, room.supervisor);
    expect(await isReadOnly(page)).toBe(true);
    await clickDisabledMark(page);
    await page.locator('.toast').getByText('Enter a reason first').waitFor();
    expect(await isPressed(page, 's-00', 'Absent')).toBe(true);
    await (await detailOf(page, 's-00')).getByText('Enter a reason first').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const reason = page.getByLabel('Reason for the correction');
    await reason.fill('   ');
    expect(await isReadOnly(page)).toBe(true);
    await reason.fill('The teacher mixed up two children');
    // A log-in after the end of the session loads the page again, too.
    await page.reload();
    expect(await reason.inputValue()).toBe('The teacher mixed up two children');
    await markOf(page, 's-00', 'Present').click();
    await expect.poll(room.marks).toEqual(['present', null, null]);
    await (await detailOf(page, 's-00')).getByText('Reason: The teacher mixed up two children').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    // Undo is a correction, too.
    await reason.fill('');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.toast').getByText('Enter a reason first').last().waitFor();
    await reason.fill('It was right before');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(room.marks).toEqual(['absent', null, null]);
  }),
);

it(
  'refuses marks that were queued until the roll call closed, and names the office',
  browserTest(async (stage) => {
    stage.allow(/answered 409/);
    const room = await closedClassroom();
    const page = await openSheetAt(stage, fixture, room, room.teacher);
    // A page whose clock shows the time of the lesson, as on a phone that was offline.
    await page.clock.setSystemTime(Date.parse(minutesAgo(9 * DAY_MIN - 10)));
    await page.reload();
    await markOf(page, 's-01', 'Late').click();
    await rowOf(page, 's-01').getByText('Ask the office').waitFor();
    expect(await room.marks()).toEqual(['absent', null, null]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await waitForAllSaved(page);
  }),
);
