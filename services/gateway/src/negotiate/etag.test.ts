import { expect, it } from 'vitest';
import { isCurrent } from './etag.ts';

it.each([
  ['"3"', true],
  ['W/"3"', true],
  ['"2", W/"3"', true],
  ['*', true],
  ['"33"', false],
  ['3', false],
  ['', false],
  [undefined, false],
])('%s names the ETag "3": %s', (header, is) => expect(isCurrent(header, '"3"')).toBe(is));

it('knows a weak one by its text', () => expect(isCurrent('"a"', 'W/"a"')).toBe(true));
