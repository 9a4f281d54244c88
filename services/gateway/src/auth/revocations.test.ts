import { Problem, type ShutOut } from '@teaching/contracts';
import { createLogger, FailureLog } from '@teaching/kit';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Unauthenticated } from './authenticate.ts';
import { type FetchRevocations, RevocationList } from './revocations.ts';

const MAX_STALE_MS = 60_000;
const HOUR_MS = 3_600_000;
const place = (horizon: number, database = 'a') => ({ database, horizon: String(horizon) });
const inactive = (user_id: string, org_id = 'o'): ShutOut => ({ org_id, user_id, inactive: true, signed_out_at: null });
const signedOut = (user_id: string, at: string): ShutOut => ({
  org_id: 'o',
  user_id,
  inactive: false,
  signed_out_at: `2030-01-01T10:00:${at}Z`,
});
const free = (user_id: string): ShutOut => ({ org_id: 'o', user_id, inactive: false, signed_out_at: null });

let now: number;
const ask = vi.fn<FetchRevocations>();
let list: RevocationList;
beforeEach(() => {
  now = Date.parse('2030-01-01T10:00:00Z');
  ask.mockReset();
  const failureLog = new FailureLog(createLogger('gateway', 'silent'), 'waiting');
  list = new RevocationList({ fetchPage: ask, maxStale_ms: MAX_STALE_MS, failureLog, clock: () => now });
});

type Page = Awaited<ReturnType<FetchRevocations>>;
const page = (items: ShutOut[], more: Partial<Page> = {}): Page => ({
  place: place(7),
  whole: true,
  items,
  over: [],
  more: false,
  ...more,
});
const receivePages = async (...pages: Page[]): Promise<void> => {
  for (const one of pages) ask.mockResolvedValueOnce(one);
  await list.readChanges();
};
/** The reason why a token is refused that was issued in this second after ten; empty when it is accepted. */
const refusal = (user_id: string, second = 0, org_id = 'o'): string => {
  const issued_ms = Date.parse('2030-01-01T10:00:00Z') + second * 1_000;
  try {
    list.check({ org_id, user_id, issued_ms });
    return '';
  } catch (error) {
    if (error instanceof Unauthenticated) return `401 ${error.reason}`;
    return error instanceof Problem ? `${error.status} ${error.code}` : 'thrown';
  }
};

describe('Before the first complete list', () => {
  it('refuses every caller', async () => {
    expect([list.isFresh(), refusal('ann')]).toEqual([false, '503 unavailable']);
    ask.mockRejectedValue(new Error('no answer'));
    await list.readOnce();
    expect([list.isFresh(), refusal('ann')]).toEqual([false, '503 unavailable']);
  });

  it('refuses every caller after a part of the list', async () => {
    ask.mockResolvedValueOnce(page([inactive('ann')], { more: true })).mockRejectedValueOnce(new Error('gone'));
    await list.readOnce();
    expect([list.isFresh(), refusal('bob')]).toEqual([false, '503 unavailable']);
  });
});

describe('Reading revocations', () => {
  it('reads all pages, then the changes since the first page', async () => {
    await receivePages(
      page([inactive('ann')], { more: true }),
      page([inactive('bob')], { more: true, place: place(8) }),
      page([]),
    );
    expect(ask.mock.calls).toEqual([
      [null, null],
      [null, inactive('ann')],
      [null, inactive('bob')],
    ]);
    expect(['ann', 'bob', 'cid'].map((id) => refusal(id))).toEqual(['401 inactive', '401 inactive', '']);
    ask.mockClear();
    const change = { whole: false, place: place(9) };
    await receivePages(page([free('ann')], { ...change, more: true }), page([inactive('cid')], { ...change }));
    expect(ask.mock.calls).toEqual([
      [place(7), null],
      [place(7), free('ann')],
    ]);
    expect(['ann', 'bob', 'cid'].map((id) => refusal(id))).toEqual(['', '401 inactive', '401 inactive']);
  });

  it('refuses a revoked person only in the organization that revoked them', async () => {
    await receivePages(page([inactive('ann', 'other')]));
    expect([refusal('ann'), refusal('ann', 0, 'other')]).toEqual(['', '401 inactive']);
  });

  it('refuses tokens issued before the sign-out or in the same second', async () => {
    await receivePages(page([signedOut('ann', '05.500'), signedOut('bob', '05.000')]));
    expect([4, 5, 5.4, 5.6, 6].map((second) => refusal('ann', second))).toEqual([
      '401 signed_out',
      '401 signed_out',
      '401 signed_out',
      '',
      '',
    ]);
    expect([5, 6].map((second) => refusal('bob', second))).toEqual(['401 signed_out', '']);
  });

  it('refuses every token of an inactive person, and old tokens after reactivation', async () => {
    await receivePages(page([{ ...signedOut('ann', '05.500'), inactive: true }]));
    expect(refusal('ann', 99)).toBe('401 inactive');
    await receivePages(page([signedOut('ann', '05.500')], { whole: false }));
    expect([refusal('ann', 5), refusal('ann', 99)]).toEqual(['401 signed_out', '']);
  });
});

describe('A deleted organization', () => {
  it('has all its tokens refused until the database is another one', async () => {
    await receivePages(page([]));
    await receivePages(page([], { whole: false, over: ['gone'] }));
    await receivePages(page([free('ann')], { whole: false }));
    expect([refusal('ann', 99, 'gone'), refusal('ann')]).toEqual(['401 inactive', '']);
    await receivePages(page([], { place: place(1, 'b') }));
    expect(refusal('ann', 99, 'gone')).toBe('');
  });
});

describe('While the class service does not answer', () => {
  it('uses the last list until it is too old, then refuses every caller until the next answer', async () => {
    await receivePages(page([inactive('ann')]));
    ask.mockRejectedValueOnce(new Error('no answer'));
    now += MAX_STALE_MS;
    await list.readOnce();
    expect([list.isFresh(), refusal('ann'), refusal('bob')]).toEqual([true, '401 inactive', '']);
    now += 1;
    expect([list.isFresh(), refusal('bob')]).toEqual([false, '503 unavailable']);
    await receivePages(page([], { whole: false }));
    expect([list.isFresh(), refusal('ann'), refusal('bob')]).toEqual([true, '401 inactive', '']);
  });

  it('counts the age of the list from the request', async () => {
    ask.mockImplementationOnce(async () => {
      now += MAX_STALE_MS + 1;
      return page([]);
    });
    await list.readChanges();
    expect(list.isFresh()).toBe(false);
  });

  it('reads the whole list again when lifted revocations may be missing', async () => {
    await receivePages(page([inactive('ann')]));
    now += HOUR_MS + 1;
    ask.mockClear();
    await receivePages(page([inactive('bob')]));
    expect(ask.mock.calls).toEqual([[null, null]]);
    expect([refusal('ann'), refusal('bob')]).toEqual(['', '401 inactive']);
  });
});

describe('When the class service uses another database', () => {
  it('reads the list from the start and replaces the old one after the last page', async () => {
    await receivePages(page([inactive('ann')]));
    const other = { place: place(2, 'b') };
    ask
      .mockResolvedValueOnce(page([inactive('bob')], { ...other, more: true }))
      .mockRejectedValueOnce(new Error('gone'));
    await list.readOnce();
    expect([refusal('ann'), refusal('bob')]).toEqual(['401 inactive', '']);
    ask.mockClear();
    await receivePages(page([inactive('bob')], { ...other, more: true }), page([inactive('cid')], other));
    expect(ask.mock.calls).toEqual([
      [place(7), null],
      [null, inactive('bob')],
    ]);
    expect(['ann', 'bob', 'cid'].map((id) => refusal(id))).toEqual(['', '401 inactive', '401 inactive']);
  });

  it('discards the list when the database changes between two pages', async () => {
    await receivePages(page([inactive('ann')]));
    const first = page([inactive('bob')], { more: true, place: place(2, 'b') });
    await expect(receivePages(first, page([], { place: place(3, 'c') }))).rejects.toThrow('another database');
    expect([refusal('ann'), refusal('bob')]).toEqual(['401 inactive', '']);
  });
});
