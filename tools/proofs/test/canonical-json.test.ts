import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { EXAMPLES, IMPOSSIBLE } from './rfc8785.ts';

it.each(EXAMPLES)('writes %s', (_case, value, canonical) => expect(canonicalJson(value)).toBe(canonical));
it.each(IMPOSSIBLE)('rejects %s, which has no JSON form', (value) =>
  expect(() => canonicalJson([value])).toThrow('JSON has no'),
);
it('rejects a lone surrogate in a value or a name', () => {
  expect(() => canonicalJson('\ud800')).toThrow('surrogate');
  expect(() => canonicalJson({ '\udead': 1 })).toThrow('surrogate');
});
