import { type Fixture, type FixtureOptions, startFixture } from '../../../../tools/proofs/test/fixture.ts';
import { type Env, type Overrides, type RunningService, startService, tenantTable } from '../../src/index.ts';
import { fixtureServiceCalls, unansweredCall } from './calls.ts';
import { type FixtureActions, echoCalls, fixtureServiceApp } from './app.ts';

/** A service that does what a test wants. It poses as the course service, whose schema and rights it has. */
export interface FixtureService {
  /** What each call does from now on. */
  acts: FixtureActions;
  /** Another instance; `own`: what its calls do instead of `acts`. */
  start(env?: Env, overrides?: Overrides, own?: Partial<FixtureActions>): Promise<RunningService>;
  /** Forgets what the acts were. */
  reset(): void;
  stop(): Promise<void>;
}

const TABLE = `
  create table course.note (
    org_id uuid, id uuid, title text not null, teacher_id text not null, version int not null,
    created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (org_id, id)
  );
  ${tenantTable('course', 'course.note')}`;

/** The environment of a service whose schema is there already. */
export const envWithoutMigration = (fixture: Fixture, service: 'course' | 'stats'): Env => {
  const { MIGRATION_DATABASE_URL: _migrated, ...env } = fixture.envFor(service);
  return env;
};

/** Makes the toy's table; no instance runs yet. */
export const createFixtureService = async (fixture: Fixture): Promise<FixtureService> => {
  await fixture.sql(TABLE);
  let running: RunningService[] = [];
  const toy: FixtureService = {
    acts: echoCalls(),
    start: async (env = {}, overrides = {}, own = {}) => {
      const one = await startService(
        fixtureServiceApp(() => ({ ...toy.acts, ...own })),
        { ...envWithoutMigration(fixture, 'course'), ...env },
        overrides,
      );
      running.push(one);
      return one;
    },
    reset: () => {
      toy.acts = echoCalls();
    },
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
      running = [];
    },
  };
  return toy;
};

export interface FixtureServiceSystem extends Fixture {
  toy: FixtureService;
}

/** A system whose only service is a toy: with it the kit is tested, and no domain. */
export const startFixtureService = async ({
  log,
  ...options
}: Omit<FixtureOptions, 'services'> & Pick<Overrides, 'log'> = {}): Promise<FixtureServiceSystem> => {
  const fixture = await startFixture({
    ...options,
    services: [],
    calls: [...Object.values(fixtureServiceCalls), unansweredCall],
  });
  const toy = await createFixtureService(fixture);
  await toy.start({}, log === undefined ? {} : { log });
  return {
    ...fixture,
    toy,
    stop: async () => {
      await toy.stop();
      await fixture.stop();
    },
  };
};
