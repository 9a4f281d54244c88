import { AUDIENCE_SIZE, type Relations } from '@teaching/contracts';
import { type CallHead, encodeFrame, type Requester } from '@teaching/kit';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../auth/authenticate.ts';
import { createViewerLoader, relationsReader } from './viewer-loader.ts';

const caller = (user_id: string, more: Partial<Caller> = {}): Caller => ({
  user_id,
  org_id: 'o',
  roles: ['TEACHER'],
  account: `o ${user_id}`,
  signedCaller: '',
  issued_ms: 0,
  isCurrent: () => true,
  ...more,
});
const PATIENCE_MS = 50;

/** A class service in which every teacher has one student. `answer` answers the oldest open call. */
const classService = () => {
  const calls: string[][] = [];
  const open: (() => void)[] = [];
  let now = 0;
  const read = (callers: readonly Caller[]) => {
    calls.push(callers.map(({ user_id }) => user_id));
    return new Promise<Relations[]>((resolve) => {
      open.push(() =>
        resolve(callers.map(({ user_id }) => ({ children: [], clazz_ids: [], students: [`of ${user_id}`] }))),
      );
    });
  };
  const load = createViewerLoader(read, PATIENCE_MS, () => now);
  const answer = async (): Promise<void> => {
    await expect.poll(() => open.length, { interval: 1 }).toBeGreaterThan(0);
    open.shift()?.();
  };
  return { calls, load, answer, pass: (ms: number) => void (now += ms) };
};

describe('Relations of several viewers', () => {
  it('are read by one call for each organization, and those that are added meanwhile by the next one', async () => {
    const { calls, load, answer } = classService();
    const first = ['ann', 'bob'].map((name) => load(caller(name)));
    const other = load(caller('zoe', { org_id: 'p' }));
    await expect.poll(() => calls).toEqual([['ann', 'bob'], ['zoe']]);
    const later = ['cat', 'dan'].map((name) => load(caller(name)));
    await answer();
    await answer();
    await answer();
    const viewers = await Promise.all([...first, other, ...later]);
    expect(viewers.map(({ user_id, students }) => [user_id, ...students])).toEqual(
      ['ann', 'bob', 'zoe', 'cat', 'dan'].map((name) => [name, `of ${name}`]),
    );
    expect(calls).toEqual([['ann', 'bob'], ['zoe'], ['cat', 'dan']]);
  });

  it('are read for at most as many people at once as the contract allows', async () => {
    const { calls, load, answer } = classService();
    const viewers = Promise.all(Array.from({ length: AUDIENCE_SIZE + 1 }, (_, n) => load(caller(String(n)))));
    await answer();
    await answer();
    await viewers;
    expect(calls.map(({ length }) => length)).toEqual([AUDIENCE_SIZE, 1]);
  });

  it('are not read for supervisors', async () => {
    const { calls, load } = classService();
    expect((await load(caller('ada', { roles: ['SUPERVISOR'] }))).students.size).toBe(0);
    expect(calls).toEqual([]);
  });

  it('fail without another call when the call before took too long', async () => {
    const { calls, load, answer, pass } = classService();
    const viewers = Array.from({ length: AUDIENCE_SIZE + 1 }, (_, n) => load(caller(String(n))));
    const results = Promise.allSettled(viewers);
    await expect.poll(() => calls.length, { interval: 1 }).toBe(1);
    pass(PATIENCE_MS);
    await answer();
    expect((await results).map(({ status }) => status)).toEqual([
      ...Array.from({ length: AUDIENCE_SIZE }, () => 'fulfilled'),
      'rejected',
    ]);
    expect(calls.length).toBe(1);
  });
});

it('a class service of 0.2.0, which refuses a list of people, is asked for one after the other', async () => {
  const asked: unknown[] = [];
  const requester = {
    call: async (_call: unknown, { request_id }: CallHead, body: string) => {
      asked.push(JSON.parse(body));
      const isRefused = body.includes('people');
      return encodeFrame(
        { status: isRefused ? 400 : 200, request_id },
        JSON.stringify(isRefused ? { code: 'invalid_request' } : { children: [], clazz_ids: [], students: ['s'] }),
      );
    },
  };
  // Only the used part of a requester.
  const read = relationsReader(requester as unknown as Requester, PATIENCE_MS);
  expect((await read([caller('ann'), caller('bob')])).map(({ students }) => students)).toEqual([['s'], ['s']]);
  expect(asked.slice(1)).toEqual([{}, {}]);
});
