import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import {
  expireSession,
  waitForLoggedOut,
  logIn,
  logOut,
  openAccountMenu,
  type School,
  startSchool,
  openLoggedOut,
} from './log-in.ts';
import { waitForServiceWorker } from './sheet.ts';

let school: School;
let fixture: Fixture;
beforeAll(async () => {
  school = await startSchool();
  fixture = school.fixture;
});
afterAll(() => school?.stop());

const OFFICE = 'Hui Sun 孙慧';

it(
  'logs a person in without a token in the browser, and logs them out',
  browserTest(async (stage) => {
    const page = await openLoggedOut(stage, fixture, '/');
    await expectNoAxeViolations(page);
    await logIn(page, fixture, OFFICE);
    expect(new URL(page.url()).pathname).toBe('/today');
    expect(await page.evaluate('document.cookie')).not.toContain('teaching');
    const storage = await page.evaluate('JSON.stringify([localStorage, sessionStorage])');
    expect(storage).not.toMatch(/eyJ/);
    const other = await page.context().newPage();
    await other.goto(`${fixture.address}/timetable`);
    await settled(other);
    await logOut(page);
    // The other window learns of it, and keeps its content.
    await other.getByText('Your session has ended').waitFor();
    await other.reload();
    await waitForLoggedOut(other);
  }),
);

it(
  'returns to the requested address after the log-in',
  browserTest(async (stage) => {
    const page = await openLoggedOut(stage, fixture, '/timetable?date=2026-03-02', PHONE);
    await logIn(page, fixture, OFFICE);
    expect(page.url()).toBe(`${fixture.address}/timetable?date=2026-03-02`);
  }),
);

it(
  'renews a session without notice, and keeps the page when it has ended',
  browserTest(async (stage) => {
    const page = await openLoggedOut(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    const context = page.context();
    await expireSession(page);
    const isRenewed = page.waitForResponse('**/auth/refresh');
    await page.getByRole('link', { name: 'Today' }).click();
    expect((await isRenewed).status()).toBe(200);
    await page.waitForURL('**/today');
    await page.reload();
    await settled(page);
    expect(new URL(page.url()).pathname).toBe('/today');
    await context.clearCookies({ name: /^teaching/ });
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.getByText('Your session has ended').waitFor();
    expect(await page.locator('main h1').textContent()).toBe('Today');
    await page.getByRole('button', { name: 'Log in' }).click();
    // The provider still has its own session.
    await page.waitForURL(`${fixture.address}/today`);
    await settled(page);
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  }),
);

it(
  'stops requesting the person if the system fails to answer',
  browserTest(async (stage) => {
    stage.allow(/answered (401|500)/);
    const page = await openLoggedOut(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    const context = page.context();
    await context.clearCookies({ name: /^teaching/ });
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.getByText('Your session has ended').waitFor();
    let requests = 0;
    await context.route('**/api/v1/me', (route) => {
      requests += 1;
      return route.fulfill({ status: 500, json: { code: 'internal' } });
    });
    await page.getByRole('link', { name: 'Today' }).click();
    await page.waitForURL('**/today');
    await settled(page);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThan(10);
    await context.unroute('**/api/v1/me');
  }),
);

it(
  'requests nothing in a window of the previous person after another person has logged in',
  browserTest(async (stage) => {
    const page = await openLoggedOut(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    const other = await page.context().newPage();
    await other.goto(`${fixture.address}/today`);
    await settled(other);
    await logOut(other);
    await page.getByText('Your session has ended').waitFor();
    await logIn(other, fixture, 'Carmen Vega');
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('heading', { name: 'You cannot open this page' }).waitFor();
    expect(await page.getByTitle('Account and settings').textContent()).toContain('carmen-vega');
  }),
);

it(
  'shows no data of the previous person without network after a log-out',
  browserTest(async (stage) => {
    stage.allow(/net::ERR_/);
    const page = await openLoggedOut(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    await waitForServiceWorker(page);
    // The log-out page of the provider does not answer.
    await page.context().route('**/session/end**', (route) => route.abort());
    await openAccountMenu(page);
    const left = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Log out' }).click();
    await left;
    await page.context().setOffline(true);
    await page.goto(`${fixture.address}/timetable`);
    await page.getByText('This device has no network').waitFor();
    expect(await page.content()).not.toContain('hui-sun');
  }),
);

const openNewLesson = async (page: Page) => {
  await page.getByRole('button', { name: 'New lesson' }).click();
  return page.getByRole('dialog');
};

it(
  'shows an open form as it was after the session has ended and the same person has logged in',
  browserTest(async (stage) => {
    const page = await openLoggedOut(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    const form = await openNewLesson(page);
    await form.getByLabel('Minutes').fill('35');
    await page.context().clearCookies({ name: /^teaching/ });
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await form.getByRole('button', { name: 'Log in' }).click();
    // The provider still has its own session.
    await form.getByText('Your draft is restored').waitFor();
    expect(await form.getByLabel('Minutes').inputValue()).toBe('35');
    await form.getByRole('button', { name: 'Discard' }).click();
    expect(await form.getByLabel('Minutes').inputValue()).toBe('60');
    await form.getByText('Your draft is restored').waitFor({ state: 'detached' });
  }),
);

it(
  'shows no form and no draft of the previous person to the next one',
  browserTest(async (stage) => {
    const page = await openLoggedOut(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    await (await openNewLesson(page)).getByLabel('Minutes').fill('35');
    const other = await page.context().newPage();
    await other.goto(`${fixture.address}/timetable`);
    await settled(other);
    await logOut(other);
    await page.getByRole('dialog').getByText('text that you typed here is lost').waitFor();
    await logIn(other, fixture, 'Carmen Vega');
    await page.getByRole('dialog').getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'You cannot open this page' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('35');
  }),
);

const PROBLEMS = [
  ['denied', 'not completed'],
  ['no_access', 'not a member of a school'],
  ['inactive', 'closed your access'],
  ['unavailable', 'not responding'],
  ['expired', 'took too long'],
  ['failed', 'went wrong'],
] as const;
it.for(PROBLEMS)('explains a log-in that failed with %s', ([problem, text], context) =>
  browserTest(async (stage) => {
    const page = await openLoggedOut(stage, fixture, `/login?problem=${problem}`);
    expect(await page.locator('[role=status]').textContent()).toContain(text);
  })(context),
);
