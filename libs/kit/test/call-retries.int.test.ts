import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { recordingLog } from './recording-log.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';

const NUDGES = 300;
const BACKOFF_MS = 500;
/** The most tries in this time: there is a pause after each try. */
const mostTries = (since: number): number => (performance.now() - since) / BACKOFF_MS + 2;

const { lines, log } = recordingLog();
const loggedTimes = (what: string): number => lines.filter(({ msg }) => msg.includes(what)).length;

let fixture: FixtureServiceSystem;
beforeAll(async () => {
  fixture = await startFixtureService({ log });
});
afterAll(() => fixture?.stop());

/** Each committed write sends a nudge. */
const write = async (times: number): Promise<void> => {
  const teacher = fixture.as({ role: 'TEACHER' });
  for (let n = 0; n < times; n += 1) expect((await teacher.post('/ws/course', { title: `${n}` })).status).toBe(201);
};

describe('Nudges do not shorten a back-off', () => {
  it('while events cannot be numbered', async () => {
    // A sequence also counts tries that are rolled back.
    await fixture.sql(`
      create sequence course.tries;
      create function course.refuse() returns trigger security definer language plpgsql as $$
        begin perform nextval('course.tries'); raise exception 'no numbers today'; end $$;
      create trigger refuse before insert on course.log_batch for each statement execute function course.refuse()`);
    const since = performance.now();
    await write(NUDGES);
    await expect.poll(() => loggedTimes('events cannot be numbered: no numbers today'), POLL_OPTIONS).toBe(1);
    const [tries] = await fixture.sql<{ n: number }>('select last_value::int as n from course.tries');
    expect(tries?.n).toBeLessThan(mostTries(since));
    await fixture.sql('drop trigger refuse on course.log_batch');
    await expect.poll(() => loggedTimes('events cannot be numbered: resolved'), POLL_OPTIONS).toBe(1);
  });

  it('while the stream accepts no events', async () => {
    const nc = await connect({
      servers: fixture.nats.url,
      user: 'admin_course',
      pass: inject('stack').secrets.nats.admin,
      inboxPrefix: '_INBOX_admin_course',
    });
    const { streams } = await jetstreamManager(nc);
    let tries = 0;
    nc.subscribe('$JS.API.STREAM.CREATE.EVENTS_COURSE', { callback: () => void (tries += 1) });
    const { config } = await streams.info('EVENTS_COURSE');
    // Another stream takes its subjects, so it cannot be created again.
    await streams.delete('EVENTS_COURSE');
    await streams.add({ name: 'FORMER', subjects: config.subjects, storage: config.storage, max_bytes: 1_000_000 });
    const since = performance.now();
    await write(NUDGES);
    await expect.poll(() => tries, POLL_OPTIONS).toBeGreaterThan(0);
    expect(tries).toBeLessThan(mostTries(since));
    await streams.delete('FORMER');
    await expect.poll(() => loggedTimes('cannot publish to EVENTS_COURSE: resolved'), POLL_OPTIONS).toBe(1);
    await nc.close();
  });
});
