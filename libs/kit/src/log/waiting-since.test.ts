import { expect, it } from 'vitest';
import { WaitingSince } from './waiting-since.ts';

it('the age of the oldest entry without a number grows while it is the same entry, and is 0 when none waits', () => {
  const since = new WaitingSince();
  const ages = [
    since.age_s('domain', 7, 0),
    since.age_s('domain', 7, 15_000),
    since.age_s('audit', 7, 15_000),
    since.age_s('domain', 8, 30_000),
    since.age_s('domain', null, 45_000),
    since.age_s('domain', 8, 60_000),
  ];
  expect(ages).toEqual([0, 15, 0, 0, 0, 0]);
});
