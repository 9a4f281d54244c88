import { Problem } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { isExpectedAtStart } from './failure-kind.ts';

it.each([
  ['a source that has not started yet', new Problem('unavailable'), 2, true],
  ['a source that is unavailable for longer', new Problem('unavailable'), 3, false],
  ['a source that answers late', new Problem('timeout'), 0, false],
  ['another error', new Error('broken'), 0, false],
])('decides whether %s is expected at the start', (_case, error, failures, isExpected) => {
  expect(isExpectedAtStart(error, failures)).toBe(isExpected);
});
