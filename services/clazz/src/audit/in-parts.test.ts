import { expect, it } from 'vitest';
import { inParts } from './in-parts.ts';

it.each([
  [0, []],
  [1, [1]],
  [200, [200]],
  [401, [200, 200, 1]],
])('%i rows go out in parts of %j', (count, sizes) => {
  const rows = Array.from({ length: count }, (_, n) => n);
  expect(inParts(rows).map((part) => part.length)).toEqual(sizes);
  expect(inParts(rows).flat()).toEqual(rows);
});
