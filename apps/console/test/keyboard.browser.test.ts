import { leaveCalls, rollCallCalls } from '@teaching/contracts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { isFocused, tabTo } from '../../../tools/developers/browser/keys.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { lessonAt } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { createFamily, noonIn } from './family.ts';
import { createBusyDay, createOffice } from './office.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });
/** Waits until the target has the focus. */
const focusOn = (page: Page, target: ReturnType<typeof button>) =>
  expect.poll(() => isFocused(page, target)).toBe(true);

/** Moves the focus from the address bar to the content, by the skip link. */
const enter = async (page: Page): Promise<void> => {
  await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }));
  await page.keyboard.press('Enter');
  await focusOn(page, page.locator('#main'));
};

describe('Today, by keyboard alone', () => {
  it(
    'decides a leave and then takes a roll call',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      const { leave, over } = await createBusyDay(office);
      const page = await office.open(stage);
      await enter(page);
      await tabTo(page, button(page, 'Approve the leave of Mia Berg'));
      await page.keyboard.press('Enter');
      await page.getByText('Leave of Mia Berg approved').waitFor();
      expect((await office.api.ok(leaveCalls.getLeave, { path: { id: leave } })).status).toBe('approved');
      await page.getByText('No leave requests to decide').waitFor();
      await focusOn(page, heading(page, 'Leave to decide'));
      await tabTo(page, page.locator('section', { has: heading(page, 'Open roll calls') }).getByRole('link'));
      await page.keyboard.press('Enter');
      await focusOn(page, heading(page, 'Roll call: Algebra'));
      await tabTo(page, page.locator('[data-student]').first());
      await page.keyboard.type('pp');
      await page.getByText('All saved').waitFor();
      const { marks } = await office.api.ok(rollCallCalls.getRollCall, { path: { lesson_id: over.id } });
      expect(marks.map(({ mark }) => mark)).toEqual(['present', 'present']);
    }),
  );

  it(
    'returns the focus after a dialog and a form, and keeps it when the focused button disappears',
    browserTest(async (stage) => {
      const office = await createOffice(fixture);
      await createBusyDay(office);
      const page = await office.open(stage);
      await enter(page);
      await tabTo(page, button(page, 'Day after'));
      await page.keyboard.press('Enter');
      await tabTo(page, button(page, 'Today'));
      await page.keyboard.press('Enter');
      await focusOn(page, heading(page, 'Today'));
      const reject = button(page, 'Reject the leave of Mia Berg');
      await tabTo(page, reject);
      await page.keyboard.press('Enter');
      await focusOn(page, page.getByLabel('Reason'));
      await tabTo(page, button(page, 'Cancel'));
      await page.keyboard.press('Enter');
      await focusOn(page, heading(page, 'Leave to decide'));
      const tom = page.locator('section', { has: heading(page, 'Low on hours') }).getByRole('button');
      await tabTo(page, tom);
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Tom Reed' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await focusOn(page, tom);
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await tabTo(page, dialog.getByRole('textbox', { name: 'Hours' }));
      await page.keyboard.type('12');
      await page.keyboard.press('Enter');
      await page.getByText('No student has less than 3 h.').waitFor();
      await focusOn(page, heading(page, 'Low on hours'));
    }),
  );
});

describe('My lessons, by keyboard alone', () => {
  it(
    'requests leave and then books a make-up lesson',
    browserTest(async (stage) => {
      // The hint about the booking may arrive before its answer.
      stage.allow(/make-up\/options\S* answered 409/);
      const family = await createFamily(fixture);
      await lessonAt(family.api, family.algebra, noonIn(1));
      await lessonAt(family.api, family.botany, noonIn(4), { room: 'Lab' });
      const page = await family.open(stage, 'mia');
      await enter(page);
      await tabTo(page, button(page, /^Can’t come: Algebra/));
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Request leave' });
      await dialog.getByText('Cost').waitFor();
      await tabTo(page, dialog.getByRole('radio', { name: 'Ill' }));
      await page.keyboard.press('ArrowRight');
      await tabTo(page, dialog.getByRole('textbox'));
      await page.keyboard.type('A wedding');
      await tabTo(page, dialog.getByRole('button', { name: 'Request leave' }));
      await page.keyboard.press('Enter');
      await page.getByText('Leave requested').waitFor();
      await focusOn(page, heading(page, /^Algebra/));
      const [requested] = (await family.api.ok(leaveCalls.listLeaves, {})).items;
      expect(requested).toMatchObject({ status: 'pending', requested_by: 'mia', reason: 'Family: A wedding' });
      await family.api.ok(leaveCalls.approveLeave, { path: { id: requested?.id ?? '' } });
      const choose = page.locator('li.lesson').getByRole('button', { name: 'Choose make-up' });
      await choose.waitFor();
      await tabTo(page, choose);
      await page.keyboard.press('Enter');
      const options = page.getByRole('dialog', { name: 'Choose a lesson' });
      await options.getByText('Lab').waitFor();
      await tabTo(page, options.getByRole('button', { name: /^Book Botany/ }));
      await page.keyboard.press('Enter');
      await page.getByText('Booked: ').waitFor();
      await page.locator('li.lesson', { hasText: 'Make-up lesson' }).waitFor();
      await focusOn(page, heading(page, /^Algebra/));
      const [leave] = (await family.api.ok(leaveCalls.listLeaves, {})).items;
      expect(leave).toMatchObject({ make_up: { status: 'used', lesson_starts_at: noonIn(4) } });
    }),
  );

  it(
    'returns the focus to the button that opened a dialog',
    browserTest(async (stage) => {
      const family = await createFamily(fixture);
      await lessonAt(family.api, family.algebra, noonIn(1));
      const page = await family.open(stage, 'mia');
      for (const opener of [button(page, 'Calendar'), button(page, /^Can’t come: Algebra/)]) {
        await tabTo(page, opener);
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor();
        await focusOn(page, button(page, 'Close'));
        await page.keyboard.press('Escape');
        await focusOn(page, opener);
      }
    }),
  );
});
