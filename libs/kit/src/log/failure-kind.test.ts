import { Problem } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { isExpectedAtStart } from './failure-kind.ts';

it.each([
  ['a source that is not there yet', new Problem('unavailable'), 2, true],
  ['a source that is not there for long', new Problem('unavailable'), 3, false],
  ['a source that answers late', new Problem('timeout'), 0, false],
  ['anything else', new Error('broken'), 0, false],
])('%s, after some failures, may only be starting', (_what, error, failures, may) => {
  expect(isExpectedAtStart(error, failures)).toBe(may);
});
