import { rollCallCalls } from '@teaching/contracts';
import { afterAll, beforeAll, it } from 'vitest';
import { WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { marking } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { busyDay, newOffice } from './office.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'package', 'course'], env: WITH_CONSOLE });
});
afterAll(() => fixture?.stop());

it(
  'a window that goes on listening where another one was closed shows what changed in between',
  browserTest(async (stage) => {
    const office = await newOffice(fixture);
    const { over } = await busyDay(office);
    const leader = await office.open(stage);
    const heir = await leader.context().newPage();
    await heir.goto(`${fixture.address}/today`);
    await heir.getByRole('heading', { name: 'Roll calls open' }).waitFor();
    let release = (): void => {};
    const isHeld = new Promise<void>((held) => {
      void heir.route('**/api/v1/changes', async (route) => {
        const go = new Promise<void>((resolve) => {
          release = resolve;
        });
        held();
        await go;
        await route.continue();
      });
    });
    await leader.close();
    await isHeld;
    const teacher = fixture.as({ role: 'TEACHER', org: office.org, sub: 'li' });
    await teacher.ok(rollCallCalls.submitRollCall, marking(over.id, { mia: 'present' }));
    release();
    await heir.getByText('1 of 2 marked').first().waitFor();
  }),
);
