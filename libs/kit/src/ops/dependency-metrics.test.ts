import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../tools/proofs/system/certificates.ts';
import { secondsLeft } from './dependency-metrics.ts';

const DAY_S = 86_400;
const authority = await createAuthority('Ours');
const ending = async (days: number): Promise<string> => (await authority.issue({ names: ['one'], days })).cert;
const now = new Date();
/** In days, as a certificate counts whole seconds. */
const left = (...pems: readonly string[]): number | undefined => {
  const seconds = secondsLeft(pems.join(''), now);
  return seconds === undefined ? undefined : Math.round((seconds / DAY_S) * 100) / 100;
};

describe('seconds until a certificate ends', () => {
  it('are those of one, fewer than none once it has ended', async () => {
    expect(left(await ending(13))).toBe(13);
    expect(left(await ending(-2))).toBe(-2);
  });

  it('are those of the first that ends, of several in force', async () => {
    const [early, late] = [await ending(3), await ending(20)];
    expect(left(late, early)).toBe(3);
    expect(left(early, late)).toBe(3);
  });

  it('pass over one that has ended beside one in force, as authorities do that are exchanged', async () => {
    expect(left(await ending(-2), await ending(20))).toBe(20);
    expect(left(await ending(20), await ending(-2))).toBe(20);
  });

  it('are those of the last that ended, when none is in force', async () => {
    expect(left(await ending(-5), await ending(-1))).toBe(-1);
  });

  it('are counted from the time that is given', async () => {
    const pem = await ending(13);
    const later = new Date(now.getTime() + 10 * DAY_S * 1_000);
    expect(Math.round((secondsLeft(pem, later) ?? 0) / DAY_S)).toBe(3);
  });

  it('pass over what stands between certificates, such as a key', async () => {
    const { cert, key } = await authority.issue({ names: ['one'], days: 7 });
    expect(left('Of our own:\n', cert, key)).toBe(7);
    expect(left(key)).toBeUndefined();
    expect(left('')).toBeUndefined();
  });

  it('cannot be told of half a certificate', async () => {
    const pem = await ending(13);
    expect(left(pem.slice(0, pem.length / 2))).toBeUndefined();
    const broken = pem.replace(/(BEGIN CERTIFICATE-----\n).{64}/, '$1');
    expect(() => secondsLeft(broken, now)).toThrow(/asn1|PEM|bad end line|decode|encoding/i);
  });
});
