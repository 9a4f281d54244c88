import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Role } from '@teaching/contracts';
import { expectNoAxeViolations } from '../../../tools/developers/browser/axe.ts';
import { openConsole, WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
});
afterAll(() => fixture.stop());

const STARTS: [Role, path: string][] = [
  ['SUPERVISOR', '/today'],
  ['TEACHER', '/week'],
  ['STUDENT', '/lessons'],
  ['GUARDIAN', '/lessons'],
];

it.for(STARTS)('opens for the role %s the page %s', ([role, path], context) =>
  browserTest(async (stage) => {
    const page = await openConsole(stage, fixture, { role });
    await page.waitForURL(`**${path}`);
    expect(await page.locator('.shell > nav [aria-current=page]').getAttribute('href')).toBe(path);
    await expectNoAxeViolations(page);
  })(context),
);

it(
  'refuses a teacher a page of the office, with a link to the start page',
  browserTest(async (stage) => {
    const page = await openConsole(stage, fixture, { role: 'TEACHER' }, { path: '/timetable' });
    expect(await page.locator('h1').textContent()).toBe('You cannot open this page');
    await page.getByRole('link', { name: 'To my start page' }).click();
    await page.waitForURL('**/week');
  }),
);

it(
  'shows Chinese on a phone in dark colours, without axe violations',
  browserTest(async (stage) => {
    const options = { ...PHONE, locale: 'zh-CN', colorScheme: 'dark' as const };
    const page = await openConsole(stage, fixture, { role: 'SUPERVISOR' }, options);
    expect(await page.locator('.shell > nav [aria-current=page]').textContent()).toBe('今天');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectNoAxeViolations(page);
  }),
);
