import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { logInAs } from '../../../tools/developers/browser/log-in-as.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { isOlderAsset, serveOlderBuild } from './older-build.ts';
import { waitForServiceWorker } from './sheet.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

const OFFICE = { role: 'SUPERVISOR' } as const;
const caches = (page: Page): Promise<string[]> => page.evaluate('caches.keys()');
const isOlderBuild = async (page: Page): Promise<boolean> =>
  isOlderAsset(await page.locator('head script[src]').evaluate((script: { src: string }) => script.src));

it(
  'replaces an older build: deletes its cache, and reloads a page of it that lacks a screen',
  browserTest(async (stage) => {
    stage.allow(/-older000.js answered 404/);
    const page = await stage.open();
    const deploy = await serveOlderBuild(page.context());
    await logInAs(page, fixture.token(OFFICE));
    await page.goto(`${fixture.address}/timetable`);
    await settled(page);
    await waitForServiceWorker(page);
    expect(await caches(page)).toEqual(['console older']);
    expect(await isOlderBuild(page)).toBe(true);
    await deploy();
    const other = await page.context().newPage();
    await other.goto(`${fixture.address}/timetable`);
    await settled(other);
    expect(await isOlderBuild(other)).toBe(false);
    await expect.poll(() => caches(other)).toEqual([expect.not.stringContaining('older')]);
    expect(await isOlderBuild(page)).toBe(true);
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    expect(await isOlderBuild(page)).toBe(false);
    expect(new URL(page.url()).pathname).toBe('/today');
  }),
);

it(
  'explains a screen that cannot be loaded even after a reload',
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
  'shows a message instead of a blank page if its scripts cannot be loaded',
  browserTest(async (stage) => {
    stage.allow(/answered 404/);
    const page = await stage.open({ serviceWorkers: 'block' });
    await logInAs(page, fixture.token(OFFICE));
    await page.context().route('**/assets/index-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${fixture.address}/today`);
    await page.getByText('If it does not appear').waitFor();
    await expectNoAxeViolations(page);
    await page.context().unroute('**/assets/index-*.js');
    await page.getByRole('link', { name: 'load it again' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    expect(await page.getByText('If it does not appear').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/today');
  }),
);

it(
  'reloads the page if the script that sends marks cannot be loaded',
  browserTest(async (stage) => {
    stage.allow(/answered 404/);
    const page = await stage.open({ serviceWorkers: 'block' });
    await logInAs(page, fixture.token(OFFICE));
    await page.context().route('**/assets/sender-*.js', (route) => route.fulfill({ status: 404 }), { times: 1 });
    const loaded = page.waitForResponse((answer) => answer.url().includes('/assets/sender-') && answer.ok());
    await page.goto(`${fixture.address}/timetable`);
    await loaded;
    await settled(page);
  }),
);
