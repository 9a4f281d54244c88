import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Kept {
  payload: AdapterPayload;
  /** Milliseconds since 1970; entries are removed then. */
  until: number;
}

/** Milliseconds between two removals of expired entries. */
const SWEEP_MS = 60_000;
const now_s = (): number => Math.floor(Date.now() / 1000);

/** The provider's sessions, in memory: after a restart people log in again. One store for all kinds of entries. */
export const createLoginStore = (): { adapterFor: (kind: string) => Adapter; stop: () => void } => {
  const kept = new Map<string, Kept>();
  const isOver = ({ until }: Kept): boolean => until <= Date.now();
  const sweep = setInterval(() => {
    for (const [key, one] of kept) if (isOver(one)) kept.delete(key);
  }, SWEEP_MS);
  sweep.unref();

  const found = (key: string): AdapterPayload | undefined => {
    const one = kept.get(key);
    return one === undefined || isOver(one) ? undefined : one.payload;
  };
  const firstOf = (kind: string, is: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
    [...kept].find(([key, one]) => key.startsWith(`${kind} `) && !isOver(one) && is(one.payload))?.[1].payload;

  const adapterFor = (kind: string): Adapter => {
    const keyOf = (id: string): string => `${kind} ${id}`;
    return {
      upsert: async (id, payload, expiresIn) => {
        kept.set(keyOf(id), { payload, until: expiresIn ? Date.now() + expiresIn * 1000 : Infinity });
      },
      find: async (id) => found(keyOf(id)),
      findByUid: async (uid) => firstOf(kind, (payload) => payload.uid === uid),
      findByUserCode: async (userCode) => firstOf(kind, (payload) => payload.userCode === userCode),
      consume: async (id) => {
        const payload = found(keyOf(id));
        if (payload !== undefined) payload.consumed = now_s();
      },
      destroy: async (id) => {
        kept.delete(keyOf(id));
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key);
      },
    };
  };
  return { adapterFor, stop: () => clearInterval(sweep) };
};
