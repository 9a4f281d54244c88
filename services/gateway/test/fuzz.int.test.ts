import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { fuzzed, hardlyTaken } from './fuzz/fuzz.ts';
import { refuseShapes } from './fuzz/shapes.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

it(
  'whatever is sent to any route is answered as the document says, and tells nothing of the inside',
  { timeout: 120_000 },
  async () => {
    expect(hardlyTaken(await fuzzed(fixture, 1, 3))).toEqual([]);
  },
);

it('JSON that is nested deeply, has many members or long keys is refused at every route', { timeout: 120_000 }, () =>
  refuseShapes(fixture),
);
