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

it.for(STARTS)(
  'opens for the role %s the page %s, and promises to keep marks only if there are any',
  ([role, path], context) =>
    browserTest(async (stage) => {
      stage.allow(/net::ERR_/);
      const page = await openConsole(stage, fixture, { role });
      await page.waitForURL(`**${path}`);
      expect(await page.locator('.shell > nav [aria-current=page]').getAttribute('href')).toBe(path);
      await expectNoAxeViolations(page);
      await page.context().setOffline(true);
      const banner = await page.getByText('No network.').textContent();
      expect(banner?.includes('Roll calls are saved')).toBe(role === 'SUPERVISOR' || role === 'TEACHER');
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
    // Names do not fit in the bar.
    await page.locator('.person-button .face').waitFor();
    expect((await page.locator('.person-button span').last().boundingBox())?.width).toBe(1);
    await expectNoAxeViolations(page);
  }),
);
