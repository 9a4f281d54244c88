import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { migrate } from '../src/db/migrate.ts';
import {
  repeatableStatement,
  batchedUpdate,
  concurrentIndex,
  type MigrationEntry,
  migration,
  startService,
  stepwise,
  ROW_RANGE,
} from '../src/index.ts';
import { recordingLog } from './recording-log.ts';
import { echoActions, fixtureServiceApp } from './fixture-service/fixture-service-app.ts';
import { envWithoutMigration } from './fixture-service/fixture-service.ts';

let fixture: Fixture;
let output: string[];
beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  await migrateTo(migration('900_thing', 'create table thing (id int, name text, about text)'));
  await fixture.sql('insert into course.thing (id, name) select n, n::text from generate_series(1, 3000) as n');
});
beforeEach(() => {
  output = [];
});
afterAll(() => fixture?.stop());

const all: MigrationEntry[] = [];
/** Migrates to all earlier migrations and this one. */
const migrateTo = async (one: MigrationEntry): Promise<number> => {
  const print = (line: string) => void output.push(line);
  const url = fixture.envFor('course')['MIGRATION_DATABASE_URL'] ?? '';
  const count = await migrate(url, 'course', [...all, one], { report: print });
  all.push(one);
  return count;
};
const start = (migrations: readonly MigrationEntry[]) => {
  const { lines, log } = recordingLog();
  const stop = new AbortController();
  const env = envWithoutMigration(fixture, 'course');
  const started = startService({ ...fixtureServiceApp(echoActions), migrations }, env, { log, stop: stop.signal });
  return { started, stop, logged: (text: string) => lines.filter(({ msg }) => msg.includes(text)).length };
};
const isThere = (name: string) => fixture.sql('select from course.schema_migration where name = $1', [name]);

describe('A migration during which no instance may run', () => {
  it('is refused while an instance runs, names its sessions, and changes nothing', async () => {
    const running = await start(all).started;
    const alone = migration('901_alone', 'create table taken ()');
    await expect(migrateTo(alone)).rejects.toThrow(/^901_alone cannot run while .*\d+ of course_app \(course look\)/);
    expect(await isThere('901_alone')).toEqual([]);
    await running.stop();
    expect(await migrateTo(alone)).toBe(1);
  });

  it('prevents the start of instances that do not know it', async () => {
    const { started, stop, logged } = start(all.filter(({ name }) => name !== '901_alone'));
    await expect
      .poll(() => logged('not ready: schema: it has 901_alone, beside which this code cannot run'), POLL_OPTIONS)
      .toBe(1);
    stop.abort();
    await (await started).stop();
    const newer = await start(all).started;
    expect((await fetch(`${newer.health}/health/ready`)).status).toBe(200);
    await newer.stop();
  });
});

it('a migration that finds its table locked retries later, so that no other statement waits behind it', async () => {
  const [reader, writer] = [new pg.Client(fixture.adminUrl), new pg.Client(fixture.adminUrl)];
  await Promise.all([reader.connect(), writer.connect()]);
  await reader.query('begin; select * from course.thing limit 1');
  const done = migrateTo(migration('902_column', 'alter table thing add column more int'));
  await expect
    .poll(() => output, POLL_OPTIONS)
    .toContain('902_column: a table lock is held by another transaction, trying again in 1 s');
  await writer.query("update course.thing set about = 'written meanwhile' where id = 1");
  await reader.query('commit');
  expect(await done).toBe(1);
  await Promise.all([reader.end(), writer.end()]);
});

describe('A migration in steps', () => {
  const filled = batchedUpdate('thing', `update thing set about = name where about is null and ${ROW_RANGE}`);
  const steps = stepwise(
    '903_steps',
    filled,
    concurrentIndex('thing_name', 'on thing (name)'),
    repeatableStatement('alter table thing validate constraint thing_about'),
  );

  it('that fails in the middle is not recorded, keeps its finished steps, and continues with the others when it runs again', async () => {
    await expect(migrateTo(steps)).rejects.toThrow('constraint "thing_about"');
    expect(await isThere('903_steps')).toEqual([]);
    expect(await fixture.sql('select from course.thing where about is null')).toEqual([]);
    expect(output).toEqual([
      '903_steps: thing: 2,999 rows changed',
      '903_steps: index thing_name: being created',
      '903_steps: index thing_name: created',
      '903_steps: alter table thing validate constraint thing_about',
    ]);
    output = [];
    // An interrupted build leaves an invalid index in the schema.
    await fixture.sql(`update pg_index set indisvalid = false where indexrelid = 'course.thing_name'::regclass`);
    await fixture.sql('alter table course.thing add constraint thing_about check (about is not null) not valid');
    expect(await migrateTo(steps)).toBe(1);
    expect(output[0]).toBe('903_steps: thing: 0 rows changed');
    const whole = `select indisvalid as whole from pg_index where indexrelid = 'course.thing_name'::regclass`;
    expect(await fixture.sql(whole)).toEqual([{ whole: true }]);
    expect(await migrateTo(migration('904_nothing', ''))).toBe(1);
  });

  it('that does not exclude finished rows fails with a message', async () => {
    const endless = stepwise('905_endless', batchedUpdate('thing', `update thing set about = '' where ${ROW_RANGE}`));
    await expect(migrateTo(endless)).rejects.toThrow('thing: rows are still left after 10 passes');
    expect(() => batchedUpdate('thing', `update thing set about = ''`)).toThrow('must contain ROW_RANGE');
  });
});
