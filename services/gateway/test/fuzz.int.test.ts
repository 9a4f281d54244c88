import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { IS_PROOF } from '../../../tools/proofs/test/proof-size.ts';
import { fuzzRoutes, rarelyAccepted } from './fuzz/fuzz.ts';
import { refuseShapes } from './fuzz/refuse-shapes.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

/** A seed, and the number of requests per route. */
const [SEED, EACH] = IS_PROOF ? [randomInt(1_000_000_000), 30] : [1, 3];

it('every answer to a random request matches the API document and reveals no internals', async () => {
  if (IS_PROOF) console.log(`seed ${SEED}`);
  expect(rarelyAccepted(await fuzzRoutes(fixture, SEED, EACH))).toEqual([]);
});

it('every route refuses JSON with deep nesting, many members or long keys', () => refuseShapes(fixture));
