import { afterAll, beforeAll, describe, it } from 'vitest';
import { IS_PROOF } from '../../../tools/proofs/test/proof-size.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { playHistories } from './play-histories.ts';

let fixture: Fixture;
const clock = clockAt('2026-11-20T12:00:00.000Z');
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course', 'package', 'stats'], clock: clock.now });
});
afterAll(() => fixture?.stop());

describe('A random history', () => {
  it('has the same figures incrementally, recomputed from the sources, and after a rebuild', () =>
    playHistories(fixture, clock, IS_PROOF ? { runs: 60, steps: 150 } : { runs: 2, steps: 70, seed: 1 }));
});
