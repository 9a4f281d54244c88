import { expect, it } from 'vitest';
import { tokensOf } from './provider.ts';

const LEEWAY_S = 10;
const now_s = Math.floor(Date.now() / 1_000);
const answer = (exp: number | undefined, left_s: number | undefined) => ({
  claims: () => (exp === undefined ? undefined : { iss: 'i', sub: 's', aud: 'a', iat: now_s - 600, exp }),
  expiresIn: () => left_s,
});

it.each([
  ['expires_in', now_s - 5, 600, now_s + 600],
  ['the leeway after `exp` without expires_in', now_s - 5, undefined, now_s - 5 + LEEWAY_S],
  ['no known time without both', undefined, undefined, undefined],
])('tokens of the provider end at %s', (_when, exp, left_s, end) => {
  const found = tokensOf(answer(exp, left_s), LEEWAY_S).exp;
  if (end === undefined) expect(found).toBeUndefined();
  else expect(found).toBeGreaterThanOrEqual(end);
});
