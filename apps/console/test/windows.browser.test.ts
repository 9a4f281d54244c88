import { rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { logInAs } from '../../../tools/developers/browser/log-in-as.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { marking } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { startProxy } from '../../../tools/proofs/system/tcp-proxy.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { createBusyDay, createOffice } from './office.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'package', 'course'], env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

it(
  'shows changes that happened while the stream moved from a closed window to another',
  browserTest(async (stage) => {
    const office = await createOffice(fixture);
    const { over } = await createBusyDay(office);
    const leader = await office.open(stage);
    const successor = await leader.context().newPage();
    await successor.goto(`${fixture.address}/today`);
    await successor.getByRole('heading', { name: 'Open roll calls' }).waitFor();
    let release = (): void => {};
    const streamRequested = new Promise<void>((requested) => {
      void successor.route('**/api/v1/changes', async (route) => {
        const released = new Promise<void>((resolve) => {
          release = resolve;
        });
        requested();
        await released;
        await route.continue();
      });
    });
    await leader.close();
    await streamRequested;
    const teacher = fixture.as({ role: 'TEACHER', org: office.org, sub: 'li' });
    await teacher.ok(rollCallCalls.submitRollCall, marking(over.id, { mia: 'present' }));
    release();
    await successor.getByText('1 of 2 marked').first().waitFor();
  }),
);

it(
  'closes sheets and forms by Back, innermost first, and keeps no entries of closed ones',
  browserTest(async (stage) => {
    const office = await createOffice(fixture);
    const { coming, over } = await createBusyDay(office);
    const page = await office.open(stage);
    const dialogs = page.locator('dialog');
    const open = async (button: string): Promise<void> => {
      await page.locator(`[data-lesson="${coming.id}"]`).click();
      await dialogs.getByRole('button', { name: button, exact: true }).click();
    };
    /** Waits also for the history entries, which follow the dialogs. */
    const expectDialogs = (count: number) =>
      expect
        .poll(async () => [await dialogs.count(), await page.evaluate('history.state?.dialogs ?? 0')])
        .toEqual([count, count]);
    const minutes = page.getByLabel('Minutes');
    await page.getByRole('link', { name: 'Timetable' }).click();
    await open('Edit');
    await page.getByRole('button', { name: /^Teacher:/ }).click();
    await expectDialogs(2);
    await page.goBack();
    await expectDialogs(1);
    await minutes.fill('35');
    await page.reload();
    expect(await minutes.inputValue()).toBe('35');
    await page.goBack();
    await expectDialogs(0);
    await open('Close');
    await expectDialogs(0);
    await open('Edit');
    await page.getByText('Your draft is restored').waitFor();
    expect(await minutes.inputValue()).toBe('35');
    await dialogs.getByRole('button', { name: 'Cancel' }).click();
    await expectDialogs(0);
    await expect.poll(() => page.evaluate('history.state.dialogs')).toBe(0);
    // A link in a sheet leaves no entry either.
    await page.locator(`[data-lesson="${over.id}"]`).click();
    await dialogs.getByRole('link', { name: 'Roll call' }).click();
    await page.waitForURL('**/roll-call/**');
    await page.goBack();
    await dialogs.getByRole('heading', { name: 'Algebra' }).waitFor();
    await expect.poll(() => page.evaluate('history.state.dialogs')).toBe(1);
    await page.goBack();
    await expectDialogs(0);
    await page.goBack();
    await page.waitForURL('**/today');
  }),
);

it(
  'says that the server does not answer while it is frozen, and continues by itself, also after lost connections',
  browserTest(async (stage) => {
    stage.allow(/net::ERR_/);
    const proxy = await startProxy(() => ({ host: '127.0.0.1', port: Number(new URL(fixture.address).port) }));
    try {
      const office = await createOffice({ ...fixture, address: `http://127.0.0.1:${proxy.port}` });
      const page = await stage.open();
      await page.clock.install();
      await logInAs(page, fixture.token({ role: 'SUPERVISOR', org: office.org }));
      await page.goto(`http://127.0.0.1:${proxy.port}/timetable`);
      await settled(page);
      proxy.set('half-open');
      await page.getByRole('button', { name: 'Later', exact: true }).click();
      const pass = async (seconds: number): Promise<void> => {
        for (let second = 0; second < seconds; second += 1) await page.clock.runFor(1_000);
      };
      // A check of the server follows a request that takes 3 seconds, and waits for 2 seconds.
      await pass(7);
      await page.getByText('The server does not answer; this device has a network.').waitFor();
      await page.getByText('The server does not answer. The page continues by itself.').waitFor();
      await pass(48);
      await page.locator('.message.bad').getByText('The page continues by itself').waitFor();
      proxy.set('open');
      await pass(5);
      await page.getByText('No lessons in this week').waitFor({ timeout: 5_000 });
      await page.getByText('The server does not answer').first().waitFor({ state: 'detached' });
      // Its open connections are lost without an end, and the stream of changes with them.
      await page.getByRole('button', { name: 'Today', exact: true }).click();
      await settled(page);
      proxy.silence();
      const { coming } = await createBusyDay(office);
      await pass(30);
      await page.locator(`[data-lesson="${coming.id}"]`).waitFor({ timeout: 5_000 });
    } finally {
      await proxy.close();
    }
  }),
);
