import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { expireSession, loggedOut, logIn, logOut, openAccount, type School, startSchool, stranger } from './log-in.ts';
import { isKept } from './sheet.ts';

let school: School;
let fixture: Fixture;
beforeAll(async () => {
  school = await startSchool();
  fixture = school.fixture;
});
afterAll(() => school?.stop());

const OFFICE = 'Hui Sun 孙慧';

it(
  'lets somebody in without a token in the browser, and out again',
  browserTest(async (stage) => {
    const page = await stranger(stage, fixture, '/');
    await expectNoAxeViolations(page);
    await logIn(page, fixture, OFFICE);
    expect(new URL(page.url()).pathname).toBe('/today');
    expect(await page.evaluate('document.cookie')).not.toContain('teaching');
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage])');
    expect(kept).not.toMatch(/eyJ/);
    const other = await page.context().newPage();
    await other.goto(`${fixture.address}/timetable`);
    await settled(other);
    await logOut(page);
    // The other window is told, and keeps what it shows.
    await other.getByText('Your session has ended').waitFor();
    await other.reload();
    await loggedOut(other);
  }),
);

it(
  'brings back to the address that was asked for',
  browserTest(async (stage) => {
    const page = await stranger(stage, fixture, '/timetable?date=2026-03-02', PHONE);
    await logIn(page, fixture, OFFICE);
    expect(page.url()).toBe(`${fixture.address}/timetable?date=2026-03-02`);
  }),
);

it(
  'renews a session unnoticed, and says when it is over without taking away what is seen',
  browserTest(async (stage) => {
    const page = await stranger(stage, fixture, '/timetable');
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
    // The provider still knows who it is.
    await page.waitForURL(`${fixture.address}/today`);
    await settled(page);
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  }),
);

it(
  'does not ask without end who it is where the system cannot say',
  browserTest(async (stage) => {
    stage.allow(/answered (401|500)/);
    const page = await stranger(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    const context = page.context();
    await context.clearCookies({ name: /^teaching/ });
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.getByText('Your session has ended').waitFor();
    let asked = 0;
    await context.route('**/api/v1/me', (route) => {
      asked += 1;
      return route.fulfill({ status: 500, json: { code: 'internal' } });
    });
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('button', { name: 'Try again' }).first().waitFor();
    expect(asked).toBeLessThan(10);
    await context.unroute('**/api/v1/me');
  }),
);

it(
  'asks for nothing in a window of who logged out, in the name of who logged in after',
  browserTest(async (stage) => {
    const page = await stranger(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    const other = await page.context().newPage();
    await other.goto(`${fixture.address}/today`);
    await settled(other);
    await logOut(other);
    await page.getByText('Your session has ended').waitFor();
    await logIn(other, fixture, 'Carmen Vega');
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('heading', { name: 'This page is not for you' }).waitFor();
    expect(await page.getByTitle('Account and settings').textContent()).toContain('carmen-vega');
  }),
);

it(
  'keeps nothing of who logged out to be seen without network',
  browserTest(async (stage) => {
    stage.allow(/net::ERR_/);
    const page = await stranger(stage, fixture, '/timetable');
    await logIn(page, fixture, OFFICE);
    await isKept(page);
    // They leave before the provider has answered.
    await page.context().route('**/session/end**', (route) => route.abort());
    await openAccount(page);
    const left = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Log out' }).click();
    await left;
    await page.context().setOffline(true);
    await page.goto(`${fixture.address}/timetable`);
    await page.getByText('No connection').waitFor();
    expect(await page.content()).not.toContain('hui-sun');
  }),
);

const PROBLEMS = [
  ['denied', 'not finished'],
  ['no_access', 'belong to no school'],
  ['inactive', 'closed your access'],
  ['unavailable', 'does not answer'],
  ['expired', 'took too long'],
  ['failed', 'went wrong'],
] as const;
it.for(PROBLEMS)('says what a log-in came to that ended as %s', ([problem, words], context) =>
  browserTest(async (stage) => {
    const page = await stranger(stage, fixture, `/login?problem=${problem}`);
    expect(await page.locator('[role=status]').textContent()).toContain(words);
  })(context),
);
