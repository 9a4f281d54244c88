import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { logInAs } from '../../../tools/developers/browser/log-in-as.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { isOlder, serveOlder } from './older-build.ts';
import { isKept } from './sheet.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const OFFICE = { role: 'SUPERVISOR' } as const;
const caches = (page: Page): Promise<string[]> => page.evaluate('caches.keys()');
const isOfOlder = async (page: Page): Promise<boolean> =>
  isOlder(await page.locator('head script[src]').evaluate((script: { src: string }) => script.src));

it(
  'has a newer build take over: what the older one kept is gone, and a page of it that lacks a screen loads itself again',
  browserTest(async (stage) => {
    stage.allow(/-older000.js answered 404/);
    const page = await stage.open();
    const deploy = await serveOlder(page.context());
    await logInAs(page, fixture.token(OFFICE));
    await page.goto(`${fixture.address}/timetable`);
    await settled(page);
    await isKept(page);
    expect(await caches(page)).toEqual(['console older']);
    expect(await isOfOlder(page)).toBe(true);
    await deploy();
    const other = await page.context().newPage();
    await other.goto(`${fixture.address}/timetable`);
    await settled(other);
    expect(await isOfOlder(other)).toBe(false);
    await expect.poll(() => caches(other)).toEqual([expect.not.stringContaining('older')]);
    expect(await isOfOlder(page)).toBe(true);
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    expect(await isOfOlder(page)).toBe(false);
    expect(new URL(page.url()).pathname).toBe('/today');
  }),
);

it(
  'says of a screen that does not come, though the page was loaded again, what can be done',
  browserTest(async (stage) => {
    stage.allow(/answered 404|Failed to fetch dynamically imported module/);
    const page = await openConsole(stage, fixture, OFFICE, { path: '/timetable', serviceWorkers: 'block' });
    await page.context().route('**/assets/today-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByText('It may have changed since you opened it').waitFor();
    await page.getByRole('link', { name: 'Timetable' }).click();
    await page.getByRole('heading', { name: 'Timetable', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Today' }).click();
    await page.context().unroute('**/assets/today-*.js');
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
  }),
);

it(
  'is no blank page where its scripts do not come',
  browserTest(async (stage) => {
    stage.allow(/answered 404/);
    const page = await stage.open({ serviceWorkers: 'block' });
    await logInAs(page, fixture.token(OFFICE));
    await page.context().route('**/assets/index-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${fixture.address}/today`);
    await page.getByText('If it does not come').waitFor();
    await expectNoAxeViolations(page);
    await page.context().unroute('**/assets/index-*.js');
    await page.getByRole('link', { name: 'load it again' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    expect(await page.getByText('If it does not come').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/today');
  }),
);

it(
  'loads itself again where what sends marks did not come',
  browserTest(async (stage) => {
    stage.allow(/answered 404/);
    const page = await stage.open({ serviceWorkers: 'block' });
    await logInAs(page, fixture.token(OFFICE));
    await page.context().route('**/assets/sender-*.js', (route) => route.fulfill({ status: 404 }), { times: 1 });
    const came = page.waitForResponse((answer) => answer.url().includes('/assets/sender-') && answer.ok());
    await page.goto(`${fixture.address}/timetable`);
    await came;
    await settled(page);
  }),
);
