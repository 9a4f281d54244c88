import type { Fixture } from '../../../../tools/proofs/test/fixture.ts';
import { type App, type Running, startService } from '../../src/index.ts';
import { envWithoutMigration } from '../fixture-service/fixture-service.ts';
import { probeApp, type Titled } from './probe-app.ts';

const COURSES = '/ws/course';

/** A follower that stores titles of courses in the order in which it applies the events. */
export interface Probe {
  start: (overrides?: Partial<App>) => Promise<Running>;
  /** The stored titles. */
  titles: () => Promise<string[]>;
  titlesOf: (aggregate_id: string) => Promise<string[]>;
  deadLetters: () => Promise<{ aggregate_id: string; error: string; tries: number; org_id: string }[]>;
  /** Creates a course and returns its id. */
  create: (title: string, org?: string) => Promise<string>;
  rename: (id: string, title: string, org?: string) => Promise<unknown>;
  /** Called for each event. It may throw, so that the event fails. */
  onEvent: (event: Titled) => void;
  clear: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Creates a probe that runs as the stats service, while the fixture service runs as the course service. */
export const createProbe = async (fixture: Fixture): Promise<Probe> => {
  await fixture.sql(`create table stats.probe (n serial, event_id uuid, aggregate_id text, title text, place bigint);
    grant all on stats.probe to stats_worker; grant usage on sequence stats.probe_n_seq to stats_worker`);
  let running: Running[] = [];
  const api = (org = fixture.org) => fixture.as({ role: 'TEACHER', org });
  const probe: Probe = {
    onEvent: () => {},
    start: async (overrides = {}) => {
      const one = await startService(
        { ...probeApp((event) => probe.onEvent(event)), ...overrides },
        envWithoutMigration(fixture, 'stats'),
      );
      running.push(one);
      return one;
    },
    titles: async () =>
      (await fixture.sql<{ title: string }>('select title from stats.probe order by n')).map((row) => row.title),
    titlesOf: async (id) => {
      const text = 'select title from stats.probe where aggregate_id = $1 order by n';
      return (await fixture.sql<{ title: string }>(text, [id])).map((row) => row.title);
    },
    deadLetters: () =>
      fixture.sql(
        'select aggregate_id, error, tries, org_id from stats.dead_letter where replayed_at is null order by seq',
      ),
    create: async (title, org) => (await api(org).post(COURSES, { title })).body.id,
    rename: (id, title, org) => api(org).patch(`${COURSES}/${id}`, { title }),
    clear: async () => {
      probe.onEvent = () => {};
      await fixture.sql('truncate stats.probe; truncate stats.dead_letter');
    },
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
      running = [];
    },
  };
  return probe;
};

/** Restores the log in the database of the course service to its state before the last `events` events. */
export const restoreDatabase = async (fixture: Fixture, events: number): Promise<void> => {
  await fixture.sql(`
    create temporary table kept as select * from course.log_numbered
    where no <= (select no - ${events} from course.log_head where log = 'domain') order by no;
    delete from course.log_batch;
    delete from course.log_entry where seq not in (select seq from kept);
    insert into course.log_batch (log, first_no, first_seq, last_seq, seqs, previous)
    select log, min(no), min(seq), max(seq), array_agg(seq order by no), array_agg(previous_id order by no) from kept group by log;
    update course.log_head set no = e.no, id = e.id, settled = e.seq
    from (select * from kept order by no desc limit 1) as e where log_head.log = e.log;
    update course.log_org set no = e.no, id = e.id
    from (select distinct on (org_id) * from kept order by org_id, no desc) as e where e.org_id = log_org.org_id;
    drop table kept`);
  // A restore closes every connection.
  await fixture.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'course l%' and datname = current_database()",
  );
};
