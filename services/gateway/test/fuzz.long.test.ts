import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { fuzzed, hardlyTaken } from './fuzz/fuzz.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

it('whatever is sent to any route, many times as much', { timeout: 900_000 }, async () => {
  const seed = randomInt(1_000_000_000);
  console.info(`seed ${seed}`);
  const tallies = await fuzzed(fixture, seed, 30);
  console.table(tallies.map(({ route, taken, refused }) => ({ route, taken, ...refused })));
  expect(hardlyTaken(tallies)).toEqual([]);
});
