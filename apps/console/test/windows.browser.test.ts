import { rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, it } from 'vitest';
import { WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { marking } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
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
