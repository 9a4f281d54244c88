import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: [], env: { LOG_LEVEL: 'info' } });
});
afterAll(() => fixture?.stop());

it('a request is logged with one line of level "info", and health requests are not logged at this level', async () => {
  const before = fixture.logged().length;
  for (const path of ['/health/live', '/health/ready', '/openapi.json']) await fetch(`${fixture.address}${path}`);
  const requestLines = () =>
    fixture
      .logged()
      .slice(before)
      .filter(({ msg }) => msg === 'request')
      .map(({ level, ['route']: route }) => ({ level, route }));
  await expect.poll(requestLines).toEqual([{ level: 'info', route: '/openapi.json' }]);
});
