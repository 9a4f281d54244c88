import { type Fixture, type FixtureOptions, startFixture } from '../../../../tools/proofs/test/fixture.ts';
import { type Env, type Overrides, type RunningService, startService, tenantTable } from '../../src/index.ts';
import { fixtureServiceCalls, unansweredCall } from './calls.ts';
import { type FixtureActions, echoActions, fixtureServiceApp } from './fixture-service-app.ts';

/** A service whose actions a test defines. It runs as the course service, with its schema and rights. */
export interface FixtureService {
  /** The current action of each call. */
  actions: FixtureActions;
  /** Starts another instance. `own`: actions of this instance that replace `actions`. */
  start(env?: Env, overrides?: Overrides, own?: Partial<FixtureActions>): Promise<RunningService>;
  /** Resets all actions: each returns the title of its request. */
  reset(): void;
  stop(): Promise<void>;
}

const TABLE = `
  create table course.note (
    org_id uuid, id uuid, title text not null, teacher_id text not null, version int not null,
    created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (org_id, id)
  );
  ${tenantTable('course', 'course.note')}`;

/** The environment of a service without the login that migrates the schema. */
export const envWithoutMigration = (fixture: Fixture, service: 'course' | 'stats'): Env => {
  const { MIGRATION_DATABASE_URL: _migrated, ...env } = fixture.envFor(service);
  return env;
};

/** Creates the table of the fixture service. No instance runs yet. */
export const createFixtureService = async (fixture: Fixture): Promise<FixtureService> => {
  await fixture.sql(TABLE);
  let running: RunningService[] = [];
  const service: FixtureService = {
    actions: echoActions(),
    start: async (env = {}, overrides = {}, own = {}) => {
      const one = await startService(
        fixtureServiceApp(() => ({ ...service.actions, ...own })),
        { ...envWithoutMigration(fixture, 'course'), ...env },
        overrides,
      );
      running.push(one);
      return one;
    },
    reset: () => {
      service.actions = echoActions();
    },
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
      running = [];
    },
  };
  return service;
};

export interface FixtureServiceSystem extends Fixture {
  service: FixtureService;
}

/** Starts a system whose only service is the fixture service, to test the kit without a domain. */
export const startFixtureService = async ({
  log,
  ...options
}: Omit<FixtureOptions, 'services'> & Pick<Overrides, 'log'> = {}): Promise<FixtureServiceSystem> => {
  const fixture = await startFixture({
    ...options,
    services: [],
    calls: [...Object.values(fixtureServiceCalls), unansweredCall],
  });
  const service = await createFixtureService(fixture);
  await service.start({}, log === undefined ? {} : { log });
  return {
    ...fixture,
    service,
    stop: async () => {
      await service.stop();
      await fixture.stop();
    },
  };
};
