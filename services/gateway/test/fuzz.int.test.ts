import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { fuzzed, hardlyTaken } from './fuzz/fuzz.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

it(
  'whatever is sent to any route is answered as the document says, and tells nothing of the inside',
  { timeout: 120_000 },
  async () => {
    const tallies = await fuzzed(fixture, 1, 1);
    writeFileSync(
      '/tmp/w/tally.txt',
      tallies.map((t) => `${t.route} ${t.taken} ${JSON.stringify(t.refused)}`).join('\n'),
    );
    expect(hardlyTaken(tallies)).toEqual([]);
  },
);
