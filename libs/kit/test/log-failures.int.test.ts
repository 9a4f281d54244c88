import { randomUUID } from 'node:crypto';
import { courseEvents, SYSTEM_ORG_ID, statusCalls } from '@teaching/contracts';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { eventsOf, type FollowerDefinition, statement } from '../src/index.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { createProbe, type Probe } from './probe/probe.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

const STORE = statement('insert into probe (event_id, aggregate_id, title, place) values ($1, $2, $3, $4)');
const { lines, log } = recordingLog();
let fixture: FixtureServiceSystem;
let probe: Probe;
let caller: TestCaller;

beforeAll(async () => {
  fixture = await startFixtureService({ log });
  probe = await createProbe(fixture);
  caller = await connectCaller(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
beforeEach(() => probe.clear());
afterEach(() => probe.stop());

const asAdmin = () =>
  connect({
    servers: fixture.nats.url,
    user: 'admin_course',
    pass: inject('stack').secrets.nats.admin,
    inboxPrefix: '_INBOX_admin.course',
  });
const status = async () =>
  (await caller.performCall(statusCalls('course').get, undefined, { org_id: SYSTEM_ORG_ID })).body;

/** A follower that fails while it reads events, before anything is stored. */
const unreadable = (title: string): FollowerDefinition => ({
  name: 'probe',
  follows: [courseEvents.courseCreated],
  apply: (batch) => {
    const created = eventsOf(batch, courseEvents.courseCreated);
    if (created.some(({ data }) => data.title === title)) throw new Error(`${title} cannot be read`);
    return async (tx) => {
      for (const one of created) tx.run(STORE, one.id, one.subject, one.data.title, Number(one.sequence));
    };
  },
});

describe('A follower', () => {
  it('that cannot read an event stores it as a dead letter, and applies the events before and after it', async () => {
    await probe.start({ follower: unreadable('bad') });
    const ids = [];
    for (const title of ['a', 'bad', 'b']) ids.push(await probe.create(title));
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(['a', 'b']);
    await expect
      .poll(probe.deadLetters, POLL_OPTIONS)
      .toMatchObject([{ aggregate_id: ids[1], error: 'bad cannot be read', org_id: fixture.org }]);
  });

  it('that receives data which do not match the contract stores the event as a dead letter', async () => {
    await probe.start();
    const id = await probe.create('sound');
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(['sound']);
    await fixture.sql(
      `insert into course.log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
       select log, gen_random_uuid(), org_id, gen_random_uuid(), type, $2, actor, request_id, now(), '{"title":5}'
       from course.log_entry where aggregate_id = $1 limit 1`,
      [id, randomUUID()],
    );
    await expect.poll(probe.deadLetters, POLL_OPTIONS).toHaveLength(1);
    await probe.rename(id, 'continues');
    await expect.poll(probe.titles, POLL_OPTIONS).toEqual(['sound', 'continues']);
  });
});

describe('A source', () => {
  const waiting = async () => (await status()).waiting;

  it('that cannot number entries logs the reason, loses nothing, and continues when it can', async () => {
    await probe.start();
    await fixture.sql('revoke insert on course.log_batch from course_worker');
    const id = await probe.create('unnumbered');
    await expect
      .poll(() => lines.map(({ msg }) => msg), POLL_OPTIONS)
      .toContainEqual(expect.stringContaining('events cannot be numbered: permission denied'));
    expect([await waiting(), await probe.titles()]).toEqual([1, []]);
    await fixture.sql('grant insert on course.log_batch to course_worker');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['unnumbered']);
    expect(await waiting()).toBe(0);
  });

  it('that cannot publish to its stream reports the reason in its status, and internal followers still receive events', async () => {
    await probe.start();
    const nc = await asAdmin();
    const manager = await jetstreamManager(nc);
    const name = 'EVENTS_COURSE';
    await manager.streams.update(name, { max_msg_size: 10 });
    const id = await probe.create('too large for the stream');
    await expect.poll(() => probe.titlesOf(id), POLL_OPTIONS).toEqual(['too large for the stream']);
    const trouble = async () => (await status()).logs[0]?.trouble;
    await expect.poll(trouble, POLL_OPTIONS).toContain('message size exceeds');
    await manager.streams.update(name, { max_msg_size: -1 });
    await expect.poll(trouble, POLL_OPTIONS).toBeNull();
    await nc.close();
  });

  it('ignores queries that it cannot read', async () => {
    const nc = await asAdmin();
    const ask = (subject: string, text: string) =>
      nc.request(subject, text, { timeout: 300 }).then(
        (message) => message.string(),
        () => 'no answer',
      );
    expect(await ask('log.course.read.admin', 'no JSON')).toBe('no answer');
    expect(await ask('log.course.read.admin', '{"log":"domain","after":{"epoch":0},"limit":1}')).toBe('no answer');
    expect(await ask('log.course.reach.admin', '{"tx_ids":5}')).toBe('no answer');
    const after = { epoch: 0, no: 0, id: null };
    const query = JSON.stringify({ log: 'domain', after, limit: 1 });
    // Only the service that sent the query receives the answer.
    expect(await ask('log.course.read.stats', query)).toBe('no answer');
    expect(JSON.parse(await ask('log.course.read.admin', query))).toMatchObject({
      state: 'ok',
    });
    expect(lines.filter(({ msg }) => msg === 'a query about the log failed')).toHaveLength(3);
    await nc.close();
  });
});
