import { randomUUID } from 'node:crypto';
import { hourCalls } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, WITH_CONSOLE } from '../../../../tools/developers/browser/console.ts';
import { browserTest } from '../../../../tools/developers/browser/browser-test.ts';
import { type Fixture, type Person, startFixture } from '../../../../tools/proofs/test/fixture.ts';

/** More than one page of entries. */
const GRANTS = 33;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'], env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

it(
  'shows why the next page of a list failed to load, and loads it on the next attempt',
  browserTest(async (stage) => {
    stage.allow(/answered 500/);
    const student = { role: 'STUDENT', sub: 'mia', org: randomUUID() } satisfies Person;
    const office = fixture.as({ role: 'SUPERVISOR', org: student.org });
    for (let at = 0; at < GRANTS; at += 1)
      await office.ok(hourCalls.grantHours, { body: { student_id: 'mia', hours: '1' } });
    const page = await openConsole(stage, fixture, student, { path: '/lessons?tab=hours' });
    const entries = page.locator('.entry');
    const before = await entries.count();
    await page.route('**/api/v1/clazz/**cursor=*', (route) =>
      route.fulfill({ status: 500, json: { code: 'internal', request_id: 'r-1', title: 'x', status: 500 } }),
    );
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('alert').getByText('r-1').waitFor();
    expect(await entries.count()).toBe(before);
    await page.unroute('**/api/v1/clazz/**cursor=*');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(await entries.count()).toBe(GRANTS);
    expect(await page.getByRole('alert').count()).toBe(0);
  }),
);
