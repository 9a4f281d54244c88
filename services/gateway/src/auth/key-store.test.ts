import { Problem } from '@teaching/contracts';
import { createLogger, FailureLog } from '@teaching/kit';
import { describe, expect, it } from 'vitest';
import type { PublicKey } from './public-keys.ts';
import { KeyStore } from './key-store.ts';

const key = (kid: string): PublicKey => ({ kid, pem: `pem of ${kid}` });
const STALE_MS = 60_000;

/** An issuer whose keys and clock the test sets. */
const issuerOf = (...kids: string[]) => {
  const issuer = { kids, now: 0, isDown: false, reads: 0 };
  const keys = new KeyStore({
    alg: 'ES256',
    maxStale_ms: STALE_MS,
    clock: () => issuer.now,
    failureLog: new FailureLog(createLogger('gateway', 'silent'), 'keys'),
    read: async () => {
      issuer.reads += 1;
      if (issuer.isDown) throw new Error('is down');
      return issuer.kids.map(key);
    },
  });
  return { issuer, keys };
};
const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'done';
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
};

describe('The keys of the issuer', () => {
  it('are chosen by the key id of a token; without an id the only key is chosen', async () => {
    const { issuer, keys } = issuerOf('a', 'b');
    expect(await codeOf(() => keys.find('a'))).toBe('unavailable');
    await keys.readOnce();
    expect([await keys.find('a'), await keys.find('b'), await keys.find(undefined)]).toEqual([
      key('a'),
      key('b'),
      undefined,
    ]);
    issuer.kids = ['b'];
    await keys.readOnce();
    expect(await keys.find(undefined)).toEqual(key('b'));
  });

  it('are read again for unknown key ids at most once per cool-down, for all tokens together', async () => {
    const { issuer, keys } = issuerOf('a');
    await keys.readOnce();
    issuer.kids = ['a', 'b'];
    expect(await Promise.all(Array.from({ length: 50 }, async () => keys.find('b')))).toEqual(
      Array.from({ length: 50 }, () => key('b')),
    );
    expect(issuer.reads).toBe(2);
    for (let n = 0; n < 50; n += 1) expect(await keys.find(`guess ${n}`)).toBeUndefined();
    expect(issuer.reads).toBe(2);
    issuer.now += 30_000;
    await Promise.all(Array.from({ length: 50 }, async (_, n) => keys.find(`guess ${n}`)));
    expect(issuer.reads).toBe(3);
  });

  it('are invalid once they are no longer published', async () => {
    const { issuer, keys } = issuerOf('a', 'b');
    await keys.readOnce();
    const [a, b] = [await keys.find('a'), await keys.find('b')];
    issuer.kids = ['b'];
    await keys.readOnce();
    expect([a && keys.isCurrent(a), b && keys.isCurrent(b)]).toEqual([false, true]);
    expect(await keys.find('a')).toBeUndefined();
    // A different key with the same id counts as a new key.
    issuer.kids = [];
    await keys.readOnce();
    expect([keys.areAvailable(), b && keys.isCurrent(b)]).toEqual([false, false]);
  });

  it('stay valid while they cannot be read, until they are too old', async () => {
    const { issuer, keys } = issuerOf('a');
    await keys.readOnce();
    const a = await keys.find('a');
    issuer.isDown = true;
    issuer.now = STALE_MS;
    await keys.readOnce();
    expect([keys.areAvailable(), await keys.find('a')]).toEqual([true, a]);
    // The key may be among those that cannot be read.
    expect(await codeOf(async () => keys.find('b'))).toBe('unavailable');
    issuer.now = STALE_MS + 1;
    expect([keys.areAvailable(), a && keys.isCurrent(a)]).toEqual([false, false]);
    expect(await codeOf(() => keys.find('a'))).toBe('unavailable');
    issuer.isDown = false;
    await keys.readOnce();
    expect(a && keys.isCurrent(a)).toBe(true);
  });
});
