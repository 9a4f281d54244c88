import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { courseEvents } from '@teaching/contracts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createPool } from '../src/db/pool.ts';
import { createLogger } from '../src/index.ts';
import { numberEntries } from '../src/log/numbering.ts';
import { reachOf } from '../src/log/log-statements.ts';
import { openEpoch } from '../src/log/open-epoch.ts';
import { orderOf } from '../src/log/offset.ts';
import { lastEntryUnderLock, readTail } from '../src/log/log-tail.ts';
import { inWorkerTransaction } from '../src/log/worker-transaction.ts';
import { createProbe, type Probe, restoreDatabase } from './probe/probe.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

let fixture: FixtureServiceSystem;
let probe: Probe;
const api = () => fixture.as({ role: 'TEACHER' });
const status = async (): Promise<number> => (await api().get('/ws/course')).status;
const position = async () =>
  (
    await fixture.sql<{ epoch: number; no: number }>(
      "select epoch, no::int as no from stats.follower_position where log = 'course'",
    )
  )[0];
const head = async () =>
  (
    await fixture.sql<{ epoch: number; no: number }>(
      "select epoch, no::int as no from course.log_head where log = 'domain'",
    )
  )[0];
/** Waits until every committed event has its number and the probe has applied it. */
const untilCaughtUp = async (): Promise<void> => {
  await expect.poll(() => fixture.sql('select 1 from course.log_waiting'), POLL_OPTIONS).toEqual([]);
  const end = await head();
  await expect.poll(async () => [await position()], POLL_OPTIONS).toEqual([end]);
};

/** A connection with the rights of the source service or of an operator. */
const busAs = (user: 'course' | 'admin_course') =>
  connect({
    servers: fixture.nats.url,
    user,
    pass: inject('stack').secrets.nats[user === 'course' ? 'course' : 'admin'],
    inboxPrefix: `_INBOX_${user}`,
  });

beforeAll(async () => {
  fixture = await startFixtureService();
  probe = await createProbe(fixture);
});
afterAll(() => fixture?.stop());
beforeEach(() => probe.clear());
afterEach(() => probe.stop());

describe('A log', () => {
  it('delivers each committed event to its follower once and in order', async () => {
    await probe.start();
    const id = await probe.create('0');
    const wanted = ['0', '1', '2', '3', '4', '5'];
    for (const title of wanted.slice(1)) await probe.rename(id, title);
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(wanted);
    await expect.poll(() => fixture.sql('select 1 from course.log_waiting'), POLL_OPTIONS).toEqual([]);
  });

  it('numbers events without gaps, and links each event to the previous one of its organization', async () => {
    const orgs = [randomUUID(), randomUUID()];
    await Promise.all(Array.from({ length: 30 }, (_, n) => probe.create(`n${n}`, orgs[n % 2])));
    await expect.poll(() => fixture.sql('select 1 from course.log_waiting'), POLL_OPTIONS).toEqual([]);
    const rows = await fixture.sql<{ no: string; id: string; org_id: string; previous_id: string | null }>(
      "select no, id, org_id, previous_id from course.log_numbered where log = 'domain' order by no",
    );
    expect(rows.map(({ no }) => Number(no))).toEqual(rows.map((_, index) => index + 1));
    for (const org of orgs) {
      const own = rows.filter(({ org_id }) => org_id === org);
      expect(own.map(({ previous_id }) => previous_id)).toEqual([null, ...own.slice(0, -1).map(({ id }) => id)]);
    }
  });

  it('contains no event of a refused write', async () => {
    await probe.start();
    const id = await probe.create('kept');
    const refused = await fixture.as({ role: 'TEACHER', sub: 'else' }).patch(`/ws/course/${id}`, { title: 'not' });
    expect(refused.status).toBe(403);
    await probe.rename(id, 'last');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['kept', 'last']);
  });

  it('accepts events of several organizations from one transaction', async () => {
    await probe.start();
    const url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '';
    const pool = createPool(url, 1, 'test', createLogger('test', 'silent'));
    const deps = { pool, clock: () => new Date(), onEvents: () => {} };
    const template = (await api().post('/ws/course', { title: 'template' })).body;
    await inWorkerTransaction(deps, async (tx) => {
      for (const org_id of [randomUUID(), randomUUID()]) {
        const row = { ...template, id: randomUUID(), org_id, title: 'of a job' };
        tx.emit({ org_id, user_id: 'job', request_id: randomUUID() }, courseEvents.courseCreated, row.id, row);
      }
    });
    await pool.end();
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(expect.arrayContaining(['template', 'of a job', 'of a job']));
  });

  it('stays correct when several processes number it at the same time', async () => {
    await probe.start();
    const url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '';
    const pool = createPool(url, 4, 'test', createLogger('test', 'silent'));
    const writing = Promise.all(Array.from({ length: 60 }, (_, n) => probe.create(`w${n}`)));
    const state = { over: false };
    const others = [1, 2, 3].map(async () => {
      while (!state.over) await numberEntries(pool, await readTail(pool));
    });
    await writing;
    state.over = true;
    await Promise.all(others);
    await pool.end();
    await untilCaughtUp();
    expect((await probe.titles()).toSorted()).toEqual(Array.from({ length: 60 }, (_, n) => `w${n}`).toSorted());
    // Entries that the others numbered without a hint are published, too, in their order.
    await expect.poll(lastInStream, POLL_OPTIONS).toEqual(await head());
    const [dense] = await fixture.sql<{ ok: boolean }>(
      "select count(*) = max(no) - min(no) + 1 as ok from course.log_numbered where log = 'domain'",
    );
    expect(dense?.ok).toBe(true);
    // No entry is missing, so the high-water mark is the newest entry.
    const [all] = await fixture.sql<{ ok: boolean }>(
      'select max(settled) = (select max(seq) from course.log_entry) as ok from course.log_head',
    );
    expect(all?.ok).toBe(true);
  });

  it('does not wait for transactions that commit late, and delivers their events later', async () => {
    await probe.start();
    const template = await probe.create('template');
    const highWaterMark = async () =>
      (await fixture.sql<{ n: number }>('select max(settled)::int as n from course.log_head'))[0]?.n;
    const write = `insert into log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
      select log, gen_random_uuid(), org_id, gen_random_uuid(), type, aggregate_id, actor, request_id, now(),
        jsonb_set(data::jsonb, '{title}', to_jsonb($1::text))::json
      from log_entry where aggregate_id = $2 order by seq limit 1 returning seq::int as seq`;
    const url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '';
    const pool = createPool(url, 2, 'test', createLogger('test', 'silent'));
    const slow = await pool.connect();
    const writeSlowly = async (title: string): Promise<number> => {
      await slow.query('begin read write');
      return (await slow.query<{ seq: number }>(write, [title, template])).rows[0]?.seq ?? 0;
    };
    const late = await writeSlowly('late');
    await probe.create('early');
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(['template', 'early']);
    expect(await lastEntryUnderLock(pool)).toBeUndefined();
    expect(await highWaterMark()).toBeLessThan(late);
    await slow.query('commit');
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(['template', 'early', 'late']);

    const lost = await writeSlowly('lost');
    await probe.create('after it');
    await slow.query('rollback');
    slow.release();
    await pool.end();
    await expect.poll(highWaterMark, POLL_OPTIONS).toBeGreaterThan(lost);
    await untilCaughtUp();
    expect(await probe.titles()).not.toContain('lost');
  });

  it('publishes events that another process numbered last', async () => {
    await probe.start();
    const template = (await api().post('/ws/course', { title: 'first' })).body;
    await untilCaughtUp();
    const url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '';
    const pool = createPool(url, 1, 'test', createLogger('test', 'silent'));
    const deps = { pool, clock: () => new Date(), onEvents: () => {} };
    await inWorkerTransaction(deps, async (tx) => {
      const row = { ...template, id: randomUUID(), title: 'last' };
      tx.emit({ ...row, user_id: 'job', request_id: randomUUID() }, courseEvents.courseCreated, row.id, row);
    });
    await numberEntries(pool, await readTail(pool));
    await pool.end();
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(['first', 'last']);
    await expect.poll(lastInStream, POLL_OPTIONS).toEqual(await head());
  });

  it('opens one new epoch after a restore, also if several processes notice it, and publishes it with later events', async () => {
    await probe.start();
    const id = await probe.create('before');
    await untilCaughtUp();
    const before = await head();
    const url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '';
    const pool = createPool(url, 4, 'test', createLogger('test', 'silent'));
    const seen = { epoch: before?.epoch ?? 0, up_to: { domain: (before?.no ?? 0) + 50, audit: 1_000_000 } };
    const opened = await Promise.all([1, 2, 3, 4].map((n) => openEpoch(pool, 'course', seen, `${n} had seen it`)));
    expect(opened.filter(Boolean)).toEqual([true]);
    const after = { epoch: seen.epoch + 1, no: (before?.no ?? 0) + 1 };
    expect(await head()).toEqual(after);
    const restored = await fixture.events('course', 'course.log.restored');
    expect(restored.at(-1)?.data).toEqual({
      epoch: after.epoch,
      first_no: after.no,
      void_epoch: seen.epoch,
      void_up_to: seen.up_to.domain,
    });
    // Another instance reads the new epoch, and numbers its entries in it.
    await expect.poll(lastInStream, POLL_OPTIONS).toEqual(after);
    await probe.rename(id, 'afterwards');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['before', 'afterwards']);
    await expect.poll(lastInStream, POLL_OPTIONS).toEqual({ ...after, no: after.no + 1 });
    await untilCaughtUp();
    const entries = await fixture.sql<{ tx_id: string; no: number }>(
      "select tx_id, no::int as no from course.log_numbered where log = 'domain' and no between $1 - 1 and $1 + 1 order by no",
      [after.no],
    );
    const orders = [before ?? after, after, { ...after, no: after.no + 1 }].map(orderOf);
    const ids = entries.map(({ tx_id }) => tx_id);
    expect(await reachOf(pool, ids)).toEqual(
      Object.fromEntries(orders.map((order, n) => [ids[n], { first: order, last: order }])),
    );
    await pool.end();
  });
});

describe('A follower', () => {
  it('continues at its offset after a restart', async () => {
    const one = await probe.start();
    const id = await probe.create('before');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['before']);
    await one.stop();
    await probe.rename(id, 'meanwhile');
    await probe.start();
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['before', 'meanwhile']);
  });

  it('applies events once with two instances, and the second one takes over when the first one stops', async () => {
    const first = await probe.start();
    await probe.start();
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => probe.create(`a${index}`)));
    await expect
      .poll(async () => (await probe.titles()).filter((title) => title.startsWith('a')).length, POLL_OPTIONS)
      .toBe(10);
    await first.stop();
    await Promise.all(ids.map((id) => probe.rename(id, 'b')));
    await expect
      .poll(async () => (await probe.titles()).filter((title) => title === 'b').length, POLL_OPTIONS)
      .toBe(10);
  });

  it('reads a log that it follows for the first time from the beginning, also with a large lag', async () => {
    const ids = await Promise.all(Array.from({ length: 450 }, (_, n) => probe.create(`m${n}`)));
    await fixture.sql('delete from stats.follower_position');
    await probe.start();
    await untilCaughtUp();
    const seen = await fixture.sql<{ aggregate_id: string; place: string }>('select * from stats.probe order by n');
    expect(seen.map(({ place }) => Number(place))).toEqual(
      seen.map(({ place }) => Number(place)).toSorted((a, b) => a - b),
    );
    expect(seen.map(({ aggregate_id }) => aggregate_id)).toEqual(expect.arrayContaining(ids));
  });

  it('does not query its source for events that arrive as messages', async () => {
    await probe.start();
    const id = await probe.create('0');
    await untilCaughtUp();
    const nc = await busAs('course');
    let queries = 0;
    nc.subscribe('log.course.read', { callback: () => void (queries += 1) });
    await nc.flush();
    for (let n = 1; n <= 20; n += 1) {
      await probe.rename(id, `${n}`);
      await expect.poll(async () => (await probe.titlesOf(id)).length, POLL_OPTIONS).toBe(n + 1);
    }
    await nc.close();
    // On a busy machine a message may take so long that the follower queries its source.
    expect(queries).toBeLessThan(5);
  });

  it('ignores messages that arrive twice, out of order, without an id, or with another predecessor', async () => {
    await probe.start();
    const id = await probe.create('real');
    await untilCaughtUp();
    const nc = await busAs('course');
    const at = await position();
    const { streams } = await jetstreamManager(nc, { checkAPI: false });
    const last = await streams.getMessage(STREAM, { last_by_subj: 'evt.*.course.>' });
    const forge = (no: number, epoch: number, title: string): void => {
      const head = headers();
      head.set('Nats-Msg-Id', randomUUID());
      head.set('Log-Place', `${epoch} ${no}`);
      head.set('Log-Previous', randomUUID());
      const data = { id, title };
      nc.publish(
        `evt.${fixture.org}.course.course.updated`,
        JSON.stringify({ type: 'course.course.updated.v1', data }),
        { headers: head },
      );
    };
    const withoutId = headers();
    withoutId.set('Log-Place', `${at?.epoch} ${(at?.no ?? 0) + 1}`);
    withoutId.set('Log-Previous', last?.header.get('Nats-Msg-Id') ?? '');
    nc.publish(last?.subject ?? '', last?.data, { headers: withoutId });
    forge((at?.no ?? 0) + 1, 0, 'ghost');
    forge((at?.no ?? 0) + 40, 0, 'far ghost');
    forge((at?.no ?? 0) + 1, 3, 'of another epoch');
    forge(1, 0, 'old');
    await nc.flush();
    await probe.rename(id, 'after');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['real', 'after']);
    await nc.close();
    await untilCaughtUp();
    expect(await head()).toEqual({ epoch: at?.epoch, no: (at?.no ?? 0) + 1 });
  });

  it('notices that its source was restored and has written since, reports the lost range, and continues from there', async () => {
    const lost: unknown[] = [];
    const one = await probe.start();
    const epoch = ((await head())?.epoch ?? 0) + 1;
    const id = await probe.create('kept');
    await untilCaughtUp();
    await probe.rename(id, 'never happened');
    await probe.rename(id, 'this neither');
    await untilCaughtUp();
    await one.stop();
    await restoreDatabase(fixture, 2);
    // The source has written past the old offset before the follower queries it.
    for (let n = 0; n < 5; n += 1) await probe.rename(id, `real ${n}`);
    await probe.start({
      follower: {
        ...(await probeFollower()),
        onLost: (_tx, part) => void lost.push(part),
      },
    });
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(expect.arrayContaining(['real 3', 'real 4']));
    expect(lost).toHaveLength(1);
    const restored = await fixture.events('course', 'course.log.restored');
    expect(restored.at(-1)?.data).toMatchObject({ epoch });
    await untilCaughtUp();
    expect(await position()).toMatchObject({ epoch });
  });
});

/** The default follower of the probe. */
const probeFollower = async () => {
  const { courseEvents: events } = await import('@teaching/contracts');
  const { eventsOf, statement } = await import('../src/index.ts');
  const store = statement('insert into probe (event_id, aggregate_id, title, place) values ($1, $2, $3, $4)');
  return {
    name: 'probe',
    follows: [events.courseCreated, events.courseUpdated],
    apply:
      (batch: Parameters<typeof eventsOf>[0]) =>
      async (tx: Parameters<Parameters<typeof inWorkerTransaction>[1]>[0]) => {
        for (const one of [...eventsOf(batch, events.courseCreated), ...eventsOf(batch, events.courseUpdated)]) {
          tx.run(store, one.id, one.subject, one.data.title, Number(one.sequence));
        }
      },
  };
};

describe('A failure', () => {
  it('with one event is retried, and the order of its aggregate is kept', async () => {
    let failures = 2;
    probe.onEvent = ({ data }) => {
      if (data.title === 'shaky' && failures-- > 0) throw new Error('not now');
    };
    await probe.start();
    const id = await probe.create('shaky');
    await probe.rename(id, 'next');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['shaky', 'next']);
    expect(await probe.deadLetters()).toEqual([]);
  });

  it('with one event makes dead letters of it and of later events of its aggregate, and other events are applied', async () => {
    probe.onEvent = ({ data }) => {
      if (data.title === 'poison') throw new Error('cannot be applied');
    };
    await probe.start();
    const bad = await probe.create('poison');
    const good = await probe.create('fine');
    await probe.rename(bad, 'after the poison');
    await probe.rename(good, 'still fine');
    await expect.poll(() => probe.titlesOf(good), POLL_OPTIONS).toEqual(['fine', 'still fine']);
    await expect.poll(probe.deadLetters, POLL_OPTIONS).toMatchObject([
      { aggregate_id: bad, error: 'cannot be applied' },
      { aggregate_id: bad, tries: 0 },
    ]);
    expect(await probe.titlesOf(bad)).toEqual([]);
  });

  it('with an event of one organization does not stop events of another one with the same aggregate id', async () => {
    const url = fixture.envFor('course')['WORKER_DATABASE_URL'] ?? '';
    const pool = createPool(url, 1, 'test', createLogger('test', 'silent'));
    const deps = { pool, clock: () => new Date(), onEvents: () => {} };
    const template = (await api().post('/ws/course', { title: 'template' })).body;
    const [failingOrg, healthyOrg] = [randomUUID(), randomUUID()];
    probe.onEvent = ({ orgid }) => {
      if (orgid === failingOrg) throw new Error('poison of one org');
    };
    await probe.start();
    const emit = (org_id: string, title: string) =>
      inWorkerTransaction(deps, async (tx) => {
        const row = { ...template, org_id, title };
        tx.emit({ org_id, user_id: 'job', request_id: randomUUID() }, courseEvents.courseUpdated, template.id, row);
      });
    await emit(failingOrg, 'poison');
    await expect.poll(probe.deadLetters, POLL_OPTIONS).toHaveLength(1);
    await emit(healthyOrg, 'a');
    await emit(healthyOrg, 'b');
    await pool.end();
    await expect.poll(async () => (await probe.titles()).slice(-2), POLL_OPTIONS).toEqual(['a', 'b']);
  });

  it('with an event that is too slow to store does not delay other events for long', async () => {
    await fixture.sql(`
      create function stats.slow() returns trigger language plpgsql as
        $$ begin if new.title = 'slow' then perform pg_sleep(60); end if; return new; end $$;
      create trigger slow before insert on stats.probe for each row execute function stats.slow()`);
    try {
      await probe.start();
      await probe.create('warm');
      await untilCaughtUp();
      const bad = await probe.create('slow');
      const others = await Promise.all(Array.from({ length: 40 }, (_, n) => probe.create(`quick ${n}`, randomUUID())));
      await expect
        .poll(async () => (await probe.titles()).filter((title) => title.startsWith('quick')).length, POLL_OPTIONS)
        .toBe(others.length);
      await expect.poll(probe.deadLetters, POLL_OPTIONS).toMatchObject([{ aggregate_id: bad }]);
    } finally {
      await fixture.sql('drop trigger slow on stats.probe; drop function stats.slow()');
    }
  });

  it('with rights or tables makes no dead letter: the follower waits, reports it, and continues', async () => {
    await probe.start();
    const id = await probe.create('before');
    await untilCaughtUp();
    await fixture.sql('revoke insert on stats.probe from stats_worker');
    await probe.rename(id, 'without rights');
    await expect
      .poll(() => fixture.sql("select trouble from stats.follower_position where log = 'course'"), POLL_OPTIONS)
      .toEqual([{ trouble: expect.stringContaining('permission denied') }]);
    const since = () => fixture.sql("select trouble_since from stats.follower_position where log = 'course'");
    const first = await since();
    await fixture.sql('grant insert on stats.probe to stats_worker; alter table stats.probe rename to probe_away');
    await probe.rename(id, 'without table');
    await expect
      .poll(() => fixture.sql("select trouble from stats.follower_position where log = 'course'"), POLL_OPTIONS)
      .toEqual([{ trouble: expect.stringContaining('does not exist') }]);
    // All retries failed in the meantime, so it is the same failure.
    expect(await since()).toEqual(first);
    await fixture.sql('alter table stats.probe_away rename to probe');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['before', 'without rights', 'without table']);
    expect(await probe.deadLetters()).toEqual([]);
    expect(await fixture.sql("select trouble from stats.follower_position where log = 'course'")).toEqual([
      { trouble: null },
    ]);
  });

  it('that is over is removed from the record, also if it was recorded late and no event follows', async () => {
    await probe.start();
    await probe.create('healthy');
    await untilCaughtUp();
    const trouble = () => fixture.sql("select trouble from stats.follower_position where log = 'course'");
    await expect.poll(trouble, POLL_OPTIONS).toEqual([{ trouble: null }]);
    // As a leader stores it that was frozen before it wrote, or when the database was frozen.
    await fixture.sql("update stats.follower_position set trouble = 'cannot connect', trouble_since = now()");
    await expect.poll(trouble, POLL_OPTIONS).toEqual([{ trouble: null }]);
  });

  it('with an unknown event version lasts until a follower that knows the version is started', async () => {
    const one = await probe.start();
    const id = await probe.create('v1');
    await untilCaughtUp();
    const again = (title: string, type: string) =>
      fixture.sql(
        `insert into course.log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
         select log, gen_random_uuid(), org_id, gen_random_uuid(), $2, aggregate_id, actor, request_id, now(),
           jsonb_set(data::jsonb, '{title}', to_jsonb($1::text))::json
         from course.log_entry where log = 'domain' order by seq desc limit 1`,
        [title, type],
      );
    await again('of the future', 'course.course.updated.v2');
    await expect
      .poll(probe.deadLetters, POLL_OPTIONS)
      .toMatchObject([{ error: expect.stringContaining('is a version that this code does not know') }]);
    await again('behind it', 'course.course.updated.v1');
    await expect.poll(probe.deadLetters, POLL_OPTIONS).toHaveLength(2);
    expect(await probe.titlesOf(id)).toEqual(['v1']);
    await one.stop();
    const follower = await probeFollower();
    const { eventsOf, statement } = await import('../src/index.ts');
    const store = statement('insert into probe (event_id, aggregate_id, title, place) values ($1, $2, $3, $4)');
    const v2 = { ...courseEvents.courseUpdated, type: 'course.course.updated.v2', version: 2 };
    await probe.start({
      follower: {
        ...follower,
        follows: [...follower.follows, v2],
        apply: (batch) => {
          const former = follower.apply(batch);
          return async (tx) => {
            await former(tx);
            for (const event of eventsOf(batch, v2)) tx.run(store, event.id, event.subject, event.data.title, 0);
          };
        },
      },
    });
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['v1', 'of the future', 'behind it']);
    expect(await probe.deadLetters()).toEqual([]);
  });
});

describe('A broker', () => {
  it('may be away: requests get 503 with Retry-After, and succeed again after it is back', async () => {
    await probe.start();
    await fixture.nats.stop();
    await expect.poll(status, POLL_OPTIONS).toBe(503);
    const refused = await api().get('/ws/course');
    expect(refused.body.code).toBe('unavailable');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await fixture.nats.restart();
    await expect.poll(status, POLL_OPTIONS).toBe(200);
    const id = await probe.create('back');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['back']);
  });

  it('may lose its data: the log is published again for external readers, and no event is applied twice', async () => {
    await probe.start();
    const id = await probe.create('remembered');
    await untilCaughtUp();
    await fixture.nats.stop();
    rmSync(fixture.nats.store, { recursive: true, force: true });
    await fixture.nats.restart();
    await expect.poll(status, POLL_OPTIONS).toBe(200);
    await probe.rename(id, 'afterwards');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['remembered', 'afterwards']);
    await expect.poll(streamed, POLL_OPTIONS).toEqual(await logged());
  });

  it('whose stream is purged while nothing is written has all events again in order, also for a reader that is behind', async () => {
    await probe.create('before');
    await expect.poll(streamed, WHOLE).toEqual(await logged());
    const nc = await busAs('admin_course');
    const { streams, consumers } = await jetstreamManager(nc);
    await consumers.add(STREAM, { durable_name: 'late', ack_policy: 'explicit' });
    const reader = await jetstream(nc).consumers.get(STREAM, 'late');
    const read = new Set<number | undefined>();
    const readSome = async (max_messages: number): Promise<void> => {
      for await (const message of await reader.fetch({ max_messages, expires: 1_000 })) {
        read.add(offsetIn(message).no);
        message.ack();
        if (message.info.pending === 0) break;
      }
    };
    await readSome(2);
    await streams.purge(STREAM);
    await expect.poll(streamed, WHOLE).toEqual(await logged());
    await readSome(10_000);
    expect([...read]).toEqual(await logged());
    await nc.close();
  });

  it('whose stream is purged, shortened, deleted or has other messages while events are written has them all once in order', async () => {
    await probe.start();
    const id = await probe.create('written');
    const written = (await logged()).at(-1);
    await expect.poll(async () => (await streamed()).at(-1), POLL_OPTIONS).toBe(written);
    const nc = await busAs('admin_course');
    const { streams } = await jetstreamManager(nc);
    for (const [title, remove] of [
      ['purged', () => streams.purge(STREAM)],
      ['cut', () => streams.purge(STREAM, { keep: 4 })],
      ['shortened', async () => streams.deleteMessage(STREAM, (await streams.info(STREAM)).state.last_seq)],
      ['deleted', () => streams.delete(STREAM)],
      ['with other messages', () => publishForeign(nc)],
    ] as const) {
      await remove();
      const [first = 0] = await streamed();
      for (const n of [1, 2, 3]) await probe.rename(id, `${title} ${n}`);
      const wanted = (await logged()).filter((no) => no >= first);
      await expect.poll(streamed, { ...WHOLE, message: title }).toEqual(wanted);
    }
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toHaveLength(16);
    await nc.close();
  });
});

const STREAM = 'EVENTS_COURSE';
/** A stream is whole again within this time. */
const WHOLE = { timeout: 10_000, interval: 100 };

/** The epoch and number of a message. */
const offsetIn = ({ headers: head }: { headers?: MsgHdrs | undefined }) => {
  const [epoch, no] = (head?.get('Log-Place') ?? '').split(' ').map(Number);
  return { epoch, no };
};

/** The numbers of the course log, when all entries have one. */
const logged = async () => {
  await expect.poll(() => fixture.sql('select 1 from course.log_waiting'), POLL_OPTIONS).toEqual([]);
  const rows = await fixture.sql("select no::int from course.log_numbered where log = 'domain' order by no");
  return rows.map(({ no }) => no);
};

const publishForeign = async (nc: NatsConnection): Promise<void> => {
  for (let n = 0; n < 150; n += 1) nc.publish(`evt.${fixture.org}.course.left.here`, '{}');
  await nc.flush();
};

/** The offsets in the stream of the course log, in its order. */
const offsetsInStream = async () => {
  const nc = await busAs('admin_course');
  try {
    const { state } = await (await jetstreamManager(nc)).streams.info(STREAM);
    const offsets: ReturnType<typeof offsetIn>[] = [];
    if (state.messages === 0) return offsets;
    const reader = await jetstream(nc).consumers.get(STREAM);
    for await (const message of await reader.fetch({ max_messages: state.messages, expires: 1_000 })) {
      if (message.headers !== undefined) offsets.push(offsetIn(message));
      if (message.info.pending === 0) break;
    }
    return offsets;
  } catch {
    return [];
  } finally {
    await nc.close();
  }
};
const streamed = async () => (await offsetsInStream()).map(({ no }) => no);
const lastInStream = async () => (await offsetsInStream()).at(-1);
