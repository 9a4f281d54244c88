import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { type RunningService, startService, statement, type Sweep } from '../src/index.ts';
import { recordingLog } from './recording-log.ts';
import { echoActions, fixtureServiceApp } from './fixture-service/fixture-service-app.ts';
import { envWithoutMigration } from './fixture-service/fixture-service.ts';

const REMOVED = 'removed expired rows';

let fixture: Fixture;
let running: RunningService | undefined;
const recorded = recordingLog();
const reports = () => recorded.lines.filter(({ msg }) => msg === REMOVED);

beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  // Records how many keys each transaction removes.
  await fixture.sql(`
    create table course.removal (rows int);
    create function course.note_removal() returns trigger security definer language plpgsql as $$
      begin insert into course.removal select count(*) from gone having count(*) > 0; return null; end $$;
    create trigger note after delete on course.idempotency_key referencing old table as gone
      for each statement execute function course.note_removal();
    create table course.litter (id int);
    grant select, delete on course.litter to course_worker;
    insert into course.litter select generate_series(1, 500)`);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  recorded.lines.length = 0;
});
afterAll(() => fixture?.stop());

const start = async (...jobs: readonly Sweep[]): Promise<RunningService> => {
  const service = fixtureServiceApp(echoActions);
  const app = { ...service, modules: [...service.modules, { routes: [], jobs }] };
  running = await startService(app, envWithoutMigration(fixture, 'course'), { log: recorded.log });
  return running;
};
const left = async (): Promise<number> =>
  (await fixture.sql<{ n: number }>('select count(*)::int as n from course.litter'))[0]?.n ?? -1;

describe('A sweep', () => {
  it('removes all expired idempotency keys in small transactions, and logs their number', async () => {
    await fixture.sql(`
      insert into course.idempotency_key (org_id, user_id, key, request_hash, reply_head, reply_body, created_at)
      select gen_random_uuid(), 'u', 'k' || n, 'h', '{}', '', now() - case when n <= 3500 then interval '20 days' else '0' end
      from generate_series(1, 3510) n`);
    await start();
    await expect.poll(reports, POLL_OPTIONS).toMatchObject([{ level: 30, job: 'old idempotency keys', rows: 3_500 }]);
    expect(await fixture.sql('select rows from course.removal')).toEqual(
      [1_000, 1_000, 1_000, 500].map((rows) => ({ rows })),
    );
    expect(await fixture.sql('select count(*)::int as n from course.idempotency_key')).toEqual([{ n: 10 }]);
  });

  const TAKE = statement('delete from litter where id = (select min(id) from litter)');
  /** Removes one row at a time. `between` is called after each row. */
  const oneByOne = (between: (removed: number) => void): Sweep => ({
    name: 'litter',
    every_ms: 5,
    pieces: async function* (inTx) {
      for (let removed = 1; ; removed += 1) {
        await inTx(async (tx) => tx.run(TAKE));
        between(removed);
        yield 1;
      }
    },
  });

  it('ends early when the process stops, and logs how many rows it removed', async () => {
    const before = await left();
    const reached = Promise.withResolvers<void>();
    let removed = 0;
    await start(
      oneByOne((so_far) => {
        removed = so_far;
        if (so_far === 5) reached.resolve();
      }),
    );
    await reached.promise;
    await running?.stop();
    expect(reports()).toMatchObject([{ job: 'litter', rows: removed }]);
    expect(await left()).toBe(before - removed);
  });

  it('of a former leader removes nothing more', async () => {
    const reached = Promise.withResolvers<void>();
    await start(oneByOne((so_far) => (so_far === 5 ? reached.resolve() : undefined)));
    await reached.promise;
    // Another instance leads, and this one does not know it yet.
    await fixture.sql("update course.duty set term = term + 1 where name = 'course'");
    const before = await left();
    await expect.poll(reports, POLL_OPTIONS).toHaveLength(1);
    expect(await left()).toBe(before);
    expect(recorded.lines.filter(({ msg }) => msg === 'job failed')).toEqual([]);
  });
});
