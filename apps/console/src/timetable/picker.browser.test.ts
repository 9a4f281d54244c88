import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, WITH_CONSOLE } from '../../../../tools/developers/browser/console.ts';
import { browserTest } from '../../../../tools/developers/browser/browser-test.ts';
import { clazzWith } from '../../../../tools/proofs/test/clazz.ts';
import { type Fixture, type Person, startFixture } from '../../../../tools/proofs/test/fixture.ts';

/** Longer than the pause after which the search starts. */
const LONGER_PAUSE_MS = 1_000;
const MINUTE_MS = 60_000;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'], env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

it(
  'searches after a pause in typing, and not while a Chinese word is being composed',
  browserTest(async (stage) => {
    const office = { role: 'SUPERVISOR', sub: 'office', org: randomUUID() } satisfies Person;
    for (const name of ['Algebra', '书法']) await clazzWith(fixture.as(office), [], { name, lead_teacher_id: 'li' });
    const page = await openConsole(stage, fixture, office, { path: '/timetable' });
    const keywords: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/v1/clazz' && searchParams.has('keyword')) keywords.push(searchParams.get('keyword'));
    });
    await page.getByRole('button', { name: 'New lesson' }).click();
    await page.getByRole('button', { name: /^Class:/ }).click();
    const picker = page.locator('dialog').last();
    await picker.getByRole('button', { name: '书法' }).waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    const field = picker.getByLabel('Search');
    await field.pressSequentially('alg');
    await page.clock.runFor(LONGER_PAUSE_MS);
    await picker.getByRole('button', { name: '书法' }).waitFor({ state: 'detached' });
    await field.fill('');
    await page.clock.runFor(LONGER_PAUSE_MS);
    const keyboard = await page.context().newCDPSession(page);
    await keyboard.send('Input.imeSetComposition', { text: 'shu', selectionStart: 3, selectionEnd: 3 });
    await page.clock.runFor(LONGER_PAUSE_MS);
    await keyboard.send('Input.insertText', { text: '书' });
    await page.clock.runFor(LONGER_PAUSE_MS);
    await picker.getByRole('button', { name: 'Algebra' }).waitFor({ state: 'detached' });
    await picker.getByRole('button', { name: '书法' }).waitFor();
    expect(keywords).toEqual(['alg', '书']);
  }),
);

it(
  'begins in the search field, sorts by name, and picks the only match on Enter',
  browserTest(async (stage) => {
    const office = { role: 'SUPERVISOR', sub: 'office', org: randomUUID() } satisfies Person;
    for (const name of ['Zoo', 'Ärzte', 'algebra', 'Book'])
      await clazzWith(fixture.as(office), [], { name, lead_teacher_id: 'li' });
    const page = await openConsole(stage, fixture, office, { path: '/timetable' });
    await page.getByRole('button', { name: 'New lesson' }).click();
    await page.getByRole('button', { name: /^Class:/ }).click();
    const picker = page.locator('dialog').last();
    await expect.poll(() => picker.locator('li').allInnerTexts()).toEqual(['algebra', 'Ärzte', 'Book', 'Zoo']);
    await page.keyboard.type('o');
    await expect.poll(() => picker.locator('li').allInnerTexts()).toEqual(['Book', 'Zoo']);
    // On a slow machine both Enters happen before the page is painted.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    await page.keyboard.press('Enter');
    expect(await picker.getByLabel('Search').isVisible()).toBe(true);
    // Enter does not wait for the pause after which the search starts.
    await page.keyboard.type('ok');
    await page.keyboard.press('Enter');
    await page.clock.resume();
    await page.getByRole('button', { name: 'Class: Book' }).waitFor();
  }),
);
