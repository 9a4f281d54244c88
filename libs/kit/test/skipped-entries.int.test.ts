import { randomUUID } from 'node:crypto';
import { Envelope } from '@teaching/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Mutex } from '../src/base/mutex.ts';
import { createPool } from '../src/db/pool.ts';
import { createLogger } from '../src/index.ts';
import { AppliedTransactions } from '../src/log/applied-transactions.ts';
import { createApplier, OffsetMoved } from '../src/log/applier.ts';
import { envelopeText } from '../src/log/log-entry.ts';
import { receivedEvent } from '../src/log/received-event.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

let fixture: FixtureServiceSystem;
let end: () => Promise<void>;
let applier: ReturnType<typeof createApplier>;
const applied: string[] = [];
const { signal } = new AbortController();

const place = (no: number) => ({ epoch: 0, no, id: randomUUID() });
/** Applies entries of events that this follower does not follow. */
const skip = (...numbers: number[]): Promise<void> => {
  const entries = numbers.map((no) => ({ offset: place(no), event: undefined }));
  return applier.apply(place((numbers[0] ?? 0) - 1), entries, undefined, signal);
};
const apply = (no: number): Promise<void> => {
  const text = envelopeText('course', {
    ...place(no),
    log: 'domain',
    org_id: fixture.org,
    tx_id: randomUUID(),
    type: 'course.course.created.v1',
    aggregate_id: randomUUID(),
    actor: 'teacher',
    request_id: randomUUID(),
    trace: null,
    happened_at: new Date().toISOString(),
    previous_id: null,
    data: null,
  });
  const event = receivedEvent(Envelope.parse(JSON.parse(text)));
  return applier.apply(place(no - 1), [{ offset: place(no), event }], undefined, signal);
};
const stored = async (): Promise<number | undefined> =>
  (
    await fixture.sql<{ no: number }>(
      "select no::int as no from stats.follower_position where follower = 'skipping' and log = 'course'",
    )
  )[0]?.no;

beforeAll(async () => {
  fixture = await startFixtureService();
  const log = createLogger('test', 'silent');
  const pool = createPool(fixture.envFor('stats')['WORKER_DATABASE_URL'] ?? '', 1, 'test', log);
  end = () => pool.end();
  applier = createApplier(
    { pool, clock: () => new Date(), onEvents: () => {}, log },
    {
      follower: 'skipping',
      generation: 0,
      log: 'course',
      apply: (events) => {
        applied.push(...events.map(({ sequence }) => String(Number(sequence))));
        return async () => {};
      },
      mutex: new Mutex(),
      appliedTransactions: new AppliedTransactions(),
    },
  );
});
afterAll(async () => {
  await end?.();
  await fixture?.stop();
});
beforeEach(async () => {
  await fixture.sql(
    "delete from stats.follower_position; insert into stats.follower_position (follower, log) values ('skipping', 'course')",
  );
  applied.length = 0;
  await applier.load();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

it('skipped entries need no transaction each: the offset is stored a moment later, or with the next followed event', async () => {
  await skip(1, 2);
  await skip(3);
  expect(await stored()).toBe(0);
  await apply(4);
  expect([await stored(), applied]).toEqual([4, ['4']]);
  await skip(5);
  await skip(6);
  vi.runAllTimers();
  await expect.poll(stored).toBe(6);
  await apply(7);
  expect([await stored(), applied]).toEqual([7, ['4', '7']]);
});

it('skipped entries are stored at once when the follower stops', async () => {
  await skip(1, 2);
  await applier.storeSkipped();
  expect(await stored()).toBe(2);
});

it('skipped entries are not stored if another instance moved the offset, and the follower continues from there', async () => {
  await skip(1);
  await fixture.sql("update stats.follower_position set no = 9 where follower = 'skipping'");
  vi.runAllTimers();
  await expect(applier.retryStoreSkipped()).rejects.toThrow(OffsetMoved);
  await expect(apply(2)).rejects.toThrow(OffsetMoved);
  expect(await stored()).toBe(9);
  await applier.load();
  await apply(10);
  expect(await stored()).toBe(10);
});
