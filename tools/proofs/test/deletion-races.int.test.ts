import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { danglingReferences, ALLOWED_OUTCOMES, deletionMarks, RACES, runRaces } from './deletion-races.ts';
import { IS_PROOF } from './proof-size.ts';
import { type Fixture, startFixture } from './fixture.ts';

const ROUNDS = IS_PROOF ? 1_000 : 15;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['course', 'package', 'clazz'] });
});
afterAll(() => fixture?.stop());
const api = () => fixture.as({ role: 'SUPERVISOR' });

describe.each(Object.entries(RACES))('Deleting and using: %s', (pair, prepare) => {
  it('at the same time: refuses one of the two and leaves no dangling reference', async () => {
    const outcomes = await runRaces(api(), pair, ROUNDS);
    expect(Object.keys(outcomes).filter((outcome) => !ALLOWED_OUTCOMES.test(outcome))).toEqual([]);
    expect(await danglingReferences(fixture)).toEqual([]);
    expect(await deletionMarks(fixture)).toEqual([]);
  });

  it('one after the other: refuses the second', async () => {
    const first = await prepare(api());
    expect((await first.remove()).code).toBe('done');
    expect((await first.use()).code).toBe('not_found');
    const second = await prepare(api());
    expect((await second.use()).code).toBe('done');
    expect((await second.remove()).code).toBe('in_use');
    expect((await second.remove()).code).toBe('in_use');
  });
});
