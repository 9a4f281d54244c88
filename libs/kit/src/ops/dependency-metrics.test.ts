import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../tools/proofs/system/certificates.ts';
import { secondsLeft } from './dependency-metrics.ts';

const DAY_S = 86_400;
const authority = await createAuthority('Ours');
const ending = async (days: number): Promise<string> => (await authority.issue({ names: ['one'], days })).cert;
const now = new Date();
/** In days, since a certificate counts whole seconds. */
const left = (...pems: readonly string[]): number | undefined => {
  const seconds = secondsLeft(pems.join(''), now);
  return seconds === undefined ? undefined : Math.round((seconds / DAY_S) * 100) / 100;
};

describe('Seconds until a certificate expires', () => {
  it('are those of a single certificate, negative once it has expired', async () => {
    expect(left(await ending(13))).toBe(13);
    expect(left(await ending(-2))).toBe(-2);
  });

  it('are those of the certificate that expires first, of several valid ones', async () => {
    const [early, late] = [await ending(3), await ending(20)];
    expect(left(late, early)).toBe(3);
    expect(left(early, late)).toBe(3);
  });

  it('ignore an expired certificate beside a valid one, as while an authority is exchanged', async () => {
    expect(left(await ending(-2), await ending(20))).toBe(20);
    expect(left(await ending(20), await ending(-2))).toBe(20);
  });

  it('are those of the certificate that expired last if none is valid', async () => {
    expect(left(await ending(-5), await ending(-1))).toBe(-1);
  });

  it('are counted from the given time', async () => {
    const pem = await ending(13);
    const later = new Date(now.getTime() + 10 * DAY_S * 1_000);
    expect(Math.round((secondsLeft(pem, later) ?? 0) / DAY_S)).toBe(3);
  });

  it('ignore text between certificates, such as a key', async () => {
    const { cert, key } = await authority.issue({ names: ['one'], days: 7 });
    expect(left('Of our own:\n', cert, key)).toBe(7);
    expect(left(key)).toBeUndefined();
    expect(left('')).toBeUndefined();
  });

  it('are unknown for an incomplete certificate, which throws if it is malformed', async () => {
    const pem = await ending(13);
    expect(left(pem.slice(0, pem.length / 2))).toBeUndefined();
    const broken = pem.replace(/(BEGIN CERTIFICATE-----\n).{64}/, '$1');
    expect(() => secondsLeft(broken, now)).toThrow(/asn1|PEM|bad end line|decode|encoding/i);
  });
});
