import { afterAll, beforeAll, expect, it } from 'vitest';
import { sumsAgree } from '../../../tools/proofs/test/sums.ts';
import { play } from './histories/play.ts';
import { openHistories } from './histories/played-school.ts';
import { brokenInvariants } from './invariants.ts';

let school: Awaited<ReturnType<typeof openHistories>>;
beforeAll(async () => {
  school = await openHistories();
});
afterAll(() => school?.fixture.stop());

/** Few histories; `cascade-model.long.test.ts` plays many. */
it('a school is as in a simple model, whatever happens in it', { timeout: 120_000 }, async () => {
  await play(school.fixture, school.courses, { runs: 2, steps: 50 });
  expect(await brokenInvariants(school.fixture)).toEqual([]);
  await sumsAgree(school.fixture.as({ role: 'SUPERVISOR' }), 10);
});
