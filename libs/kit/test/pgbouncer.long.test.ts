import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { ensureDatabase, provision, withLogin } from '../../../tools/operators/migrate/provision.ts';
import { unpackedFromDebian } from '../../../tools/developers/setup/debian.mjs';
import { startFixture, type Fixture } from '../../../tools/proofs/test/fixture.ts';
import { startPgBouncer, type PgBouncer, type PgBouncerOptions } from '../../../tools/proofs/system/pgbouncer.ts';
import { startService } from '../src/index.ts';
import { migrate } from '../src/db/migrate.ts';
import { SharedSessionError, requireSessionPooling } from '../src/db/session-pooling.ts';
import { numberedLog } from '../src/index.ts';
import { connectCaller } from './test-caller.ts';
import { recordingLog } from './recording-log.ts';
import { createProbe } from './probe/probe.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';
import { addNote, NOTE } from './fixture-service/note.ts';
import { echoActions, fixtureServiceApp } from './fixture-service/fixture-service-app.ts';
import { createFixtureService, envWithoutMigration } from './fixture-service/fixture-service.ts';
import { envThroughLink, urlThroughPort } from './network-link.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';

/** The reason why no PgBouncer is available. */
const missing = await unpackedFromDebian('pgbouncer').then(
  () => undefined,
  (error: unknown) => String(error).split('\n')[0],
);
it.runIf(missing !== undefined)('PgBouncer is not available', ({ skip }) => skip(missing));

let fixture: Fixture;
let bouncer: PgBouncer | undefined;
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
});
afterAll(() => fixture?.stop());
afterEach(async () => {
  await bouncer?.stop();
  bouncer = undefined;
});

const passwords = () => inject('stack').secrets.database.course;
const start = async (mode: PgBouncerOptions['mode']): Promise<number> => {
  const { owner, app, worker } = passwords();
  const users = { course_owner: owner, course_app: app, course_worker: worker };
  bouncer = await startPgBouncer({ mode, port: Number(new URL(fixture.adminUrl).port), users });
  return bouncer.port;
};

describe.runIf(missing === undefined)('With a PgBouncer in session mode', () => {
  it('a schema can be migrated', async () => {
    const port = await start('session');
    const adminUrl = await ensureDatabase(fixture.adminUrl, `pgbouncer_${randomBytes(4).toString('hex')}`);
    await provision({ adminUrl, service: 'course', passwords: passwords() });
    const url = urlThroughPort(withLogin(adminUrl, 'course_owner', passwords().owner), port);
    expect(await migrate(url, 'course', [numberedLog('course')])).toBeGreaterThan(1);
    expect(await migrate(url, 'course', [numberedLog('course')])).toBe(0);
  });

  it('a service can write, read, number its log and hold leases', async () => {
    const env = envThroughLink(envWithoutMigration(fixture, 'course'), await start('session'));
    for (const name of ['DATABASE_URL', 'WORKER_DATABASE_URL']) await requireSessionPooling(env[name] ?? '');
    const { log, lines } = recordingLog();
    const service = await createFixtureService(fixture);
    const probe = await createProbe(fixture);
    service.actions.write = async (session, title) => {
      addNote(session, title);
      return { title };
    };
    service.actions.read = async (session, id) => ({ title: (await session.find(NOTE, id))?.title ?? 'none' });
    await service.start(env, { log });
    await probe.start();
    const caller = await connectCaller(fixture);
    const write = async (title: string) => (await caller.performCall(fixtureServiceCalls.write, { title })).head.status;
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => write(`${n}`)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const [note] = await fixture.sql<{ id: string; title: string }>('select id, title from course.note');
    expect((await caller.performCall(fixtureServiceCalls.read, { title: note?.id })).body).toEqual({
      title: note?.title,
    });
    await expect.poll(probe.titles, POLL_OPTIONS).toHaveLength(20);
    expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    await caller.stop();
    await probe.stop();
    await service.stop();
  });
});

describe.runIf(missing === undefined).each(['transaction', 'statement'] as const)(
  'With a PgBouncer in %s mode',
  (mode) => {
    it('a service does not start, and reports the mode that it needs', async () => {
      const env = envThroughLink(envWithoutMigration(fixture, 'course'), await start(mode));
      const refused = startService(fixtureServiceApp(echoActions), env);
      await expect(refused).rejects.toBeInstanceOf(SharedSessionError);
      await expect(refused).rejects.toThrow(/pool_mode = session/);
    });
  },
);

it('a direct connection to Postgres has its own session', async () => {
  await requireSessionPooling(fixture.envFor('course')['DATABASE_URL'] ?? '');
});
