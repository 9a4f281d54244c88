import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { EXAMPLES, IMPOSSIBLE } from './rfc8785.ts';

it.each(EXAMPLES)('%s', (_what, value, canonical) => expect(canonicalJson(value)).toBe(canonical));
it.each(IMPOSSIBLE)('%s has none', (value) => expect(() => canonicalJson([value])).toThrow('JSON has no'));
it('a lone surrogate has none, as text or as a name', () => {
  expect(() => canonicalJson('\ud800')).toThrow('surrogate');
  expect(() => canonicalJson({ '\udead': 1 })).toThrow('surrogate');
});
