import { afterAll, beforeAll, expect, it } from 'vitest';
import { dangling, FAIR, leaving, RACES, runRaces } from './deletion-races.ts';
import { type Fixture, startFixture } from './fixture.ts';

const ROUNDS = 1_000;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'package', 'clazz'] });
});
afterAll(() => fixture?.stop());

it.each(Object.keys(RACES))(
  `${ROUNDS} rounds of deleting and using leave nothing dangling: %s`,
  async (pair) => {
    const outcomes = await runRaces(fixture.as({ role: 'SUPERVISOR' }), pair, ROUNDS);
    console.log(pair, outcomes);
    expect(Object.keys(outcomes).filter((outcome) => !FAIR.test(outcome))).toEqual([]);
    expect(await dangling(fixture)).toEqual([]);
    expect(await leaving(fixture)).toEqual([]);
  },
  600_000,
);
