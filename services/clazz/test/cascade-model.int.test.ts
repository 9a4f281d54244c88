import { afterAll, beforeAll, expect, it } from 'vitest';
import { IS_PROOF } from '../../../tools/proofs/test/proof-size.ts';
import { sumsAgree } from '../../../tools/proofs/test/sums.ts';
import { playHistories } from './histories/play-histories.ts';
import { startHistoryFixture } from './histories/history-school.ts';
import { brokenInvariants } from './invariants.ts';

let school: Awaited<ReturnType<typeof startHistoryFixture>>;
beforeAll(async () => {
  school = await startHistoryFixture();
});
afterAll(async () => {
  await school?.sweeps.end();
  await school?.fixture.stop();
});

/** The test plays few histories with a fixed seed. The proof `histories` plays many random ones. */
const [SIZE, DAYS] = IS_PROOF ? [{ runs: 1_000, steps: 150 }, 100] : [{ runs: 2, steps: 50, seed: 1 }, 10];

it('the service and a simple model have the same state after any sequence of actions', async () => {
  await playHistories(school, SIZE);
  await sumsAgree(school.fixture.as({ role: 'SUPERVISOR' }), DAYS);
  // Last, because it takes minutes after a thousand histories, and the server closes idle connections meanwhile.
  expect(await brokenInvariants(school.fixture)).toEqual([]);
});
