import { fixedValue } from '@teaching/kit';
import { describe, expect, it } from 'vitest';
import { createCookieSealer, LONGEST_COOKIE } from './cookies.ts';
import type { Tokens } from './provider.ts';
import { isSameLogin, cookieLifetime, Renewal, createTokenRenewer, sealRenewal } from './renewals.ts';
import { type Session, sessionOf } from './identity.ts';

const DAY_S = 86_400;
const now_s = Date.now() / 1_000;
const who = { sub: 'ada', org_id: '01900000-0000-7000-8000-000000000001', roles: ['TEACHER' as const] };
const session: Session = { ...who, iat: now_s, exp: now_s + 600 };
const tokens: Tokens = { claims: undefined, id_token: 'i', refresh_token: 'r', exp: undefined };
const sealer = createCookieSealer(fixedValue(['a secret of at least thirty-two characters']));

describe('A session', () => {
  it("ends with the provider's token, after an hour without one, and at most 90 days after the login", () => {
    expect(sessionOf(who, now_s, now_s + 600).exp).toBe(Math.floor(now_s + 600));
    expect(sessionOf(who, now_s, undefined).exp - now_s).toBeGreaterThan(3_590);
    expect(sessionOf(who, now_s - 89 * DAY_S, now_s + 30 * DAY_S).exp).toBe(Math.floor(now_s + DAY_S));
  });

  it('is stored in the browser as long as it can be renewed', () => {
    expect(cookieLifetime(session, undefined)).toBeLessThanOrEqual(600);
    expect(cookieLifetime(session, 'r')).toBeGreaterThan(89 * DAY_S);
    expect(cookieLifetime({ ...session, iat: now_s - 91 * DAY_S }, 'r')).toBe(0);
  });
});

describe('A renewal', () => {
  it('belongs to every session of its login, and to no session of another login, person or organization', () => {
    const org_id = '01900000-0000-7000-8000-000000000002';
    expect(isSameLogin(session, { ...session, exp: now_s - 1, roles: [] })).toBe(true);
    for (const other of [{ sub: 'eve' }, { org_id }, { iat: now_s - 0.001 }])
      expect(isSameLogin(session, { ...session, ...other })).toBe(false);
  });
});

describe('The renewal cookie and request', () => {
  it.each([
    [
      'both tokens',
      { id_token: 'i'.repeat(1_700), refresh_token: 'r'.repeat(1_700) },
      { id_token: 1_700, refresh_token: 1_700 },
    ],
    [
      'without the identity token',
      { id_token: 'i'.repeat(1_700), refresh_token: 'r'.repeat(3_400) },
      { id_token: 0, refresh_token: 3_400 },
    ],
    ['nothing', { id_token: 'i', refresh_token: 'r'.repeat(3_800) }, { id_token: 0, refresh_token: 0 }],
  ])('keeps the tokens that fit: %s', async (_what, more, lengths) => {
    const text = await sealRenewal(sealer, session, { ...tokens, ...more });
    expect(text.length).toBeLessThanOrEqual(LONGEST_COOKIE);
    const { id_token, refresh_token } = Renewal.parse(await sealer.open('renewal', text));
    expect({ id_token: id_token?.length ?? 0, refresh_token: refresh_token?.length ?? 0 }).toEqual(lengths);
    expect(await sealer.open('session', text)).toBeUndefined();
  });

  it('is sent once for concurrent requests, and again after a failure', async () => {
    let asked = 0;
    let isThere = false;
    const renew = createTokenRenewer({
      renewTokens: async () => {
        asked += 1;
        if (!isThere) throw new Error('no provider');
        return tokens;
      },
    });
    await expect(renew('r')).rejects.toThrow('no provider');
    isThere = true;
    expect(await Promise.all([renew('r'), renew('r')])).toEqual([tokens, tokens]);
    await renew('r');
    expect(asked).toBe(2);
    await renew('other');
    expect(asked).toBe(3);
  });
});
