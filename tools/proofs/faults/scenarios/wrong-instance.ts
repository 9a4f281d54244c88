import { randomUUID } from 'node:crypto';
import { withDatabase } from '../../../operators/migrate/provision.ts';
import { waitForJoinOrReason, healthStatus, hasJoinedWithin } from '../../system/instance-health.ts';
import { holdsWithin, pause } from '../../system/poll.ts';
import { type ScenarioOptions, limitFor, type ScenarioResult, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import {
  isSuccess,
  createRequestKinds,
  kindsMatching,
  type RequestResult,
  startTraffic,
  runTraffic,
  failureSummary,
} from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

const RATE = 100;
const DURING_MS = 3_000;
const SHORT_RATE = 15;
const JOIN_TIMEOUT_MS = 10_000;
/** The limit in ms until a running instance notices that its database is lost. */
const NOTICED_MS = 5_000;
const EMPTY = 'empty';

/** A fault of the second instance, and its repair. */
interface Wrong {
  about: string;
  begin: (system: System, one: ProxiedInstance) => Promise<void>;
  repair: (one: ProxiedInstance) => Promise<void>;
}

const URL_VARIABLES = ['DATABASE_URL', 'WORKER_DATABASE_URL'];
const changeUrls = ({ env }: ProxiedInstance, change: (url: string) => string) =>
  Object.fromEntries(URL_VARIABLES.map((name) => [name, change(env[name] ?? '')]));

/** A success, or the refusal of the healthy instance when it has too many requests while the other one starts. */
const isAnswered = (shot: RequestResult): boolean => isSuccess(shot) || shot.detail === 'Too many requests are waiting';

const withPassword = (url: string): string => {
  const wrong = new URL(url);
  wrong.password = 'wrong';
  return wrong.href;
};

const restart = async (one: ProxiedInstance): Promise<void> => {
  await one.kill();
  one.start();
};
const restoreConfiguration = async (one: ProxiedInstance): Promise<void> => {
  one.configure({});
  await restart(one);
};
const healConnection = async (one: ProxiedInstance): Promise<void> => one.toPostgres?.heal();

const WRONGS: readonly Wrong[] = [
  {
    about: 'a wrong password',
    begin: async (_system, one) => {
      one.configure(changeUrls(one, withPassword));
      await restart(one);
    },
    repair: restoreConfiguration,
  },
  {
    about: 'an unreachable database',
    begin: async (_system, one) => {
      one.toPostgres?.set('half-open');
      await restart(one);
    },
    repair: healConnection,
  },
  {
    about: 'a database that refuses',
    begin: async (_system, one) => {
      one.toPostgres?.set('cut');
      await restart(one);
    },
    repair: healConnection,
  },
  {
    about: 'an unmigrated database',
    begin: async ({ postgres }, one) => {
      await postgres.sql(`create database ${EMPTY}`);
      one.configure(changeUrls(one, (url) => withDatabase(url, EMPTY)));
      await restart(one);
    },
    repair: restoreConfiguration,
  },
];

/** Stops the other instance, so the repaired one must answer all requests. Returns how that went. */
const checkRepaired = async (
  api: System['api'],
  one: ProxiedInstance,
  other: ProxiedInstance,
  context: ScenarioOptions,
): Promise<string> => {
  const joins = limitFor(context, JOIN_TIMEOUT_MS);
  if (!(await hasJoinedWithin(one, joins))) return 'never';
  await other.stop(joins);
  const shots = await runTraffic(kindsMatching(await createRequestKinds(api, randomUUID()), one.service), 25, 1_000);
  other.start();
  await hasJoinedWithin(other, joins);
  return shots.every(isAnswered) ? 'again' : `with failures (${failureSummary(shots)})`;
};

const tryOne = async (
  system: System,
  { about, begin, repair }: Wrong,
  context: ScenarioOptions,
): Promise<ScenarioResult> => {
  const [other, one] = system.instancesOf('clazz');
  if (one === undefined || other === undefined) throw new Error('the scenario needs two instances of clazz');
  const kinds = kindsMatching(await createRequestKinds(system.api, randomUUID()), 'clazz');
  await begin(system, one);
  await waitForJoinOrReason(one);
  const shots = await runTraffic(kinds, context.short ? SHORT_RATE : RATE, DURING_MS);
  const ready = await healthStatus(one, 'ready');
  const failed = shots.filter((shot) => !isAnswered(shot));
  await repair(one);
  const part = await checkRepaired(system.api, one, other, context);
  const line = `${about}: ${failed.length} of ${shots.length} failed (${failureSummary(shots)}), its readiness is ${ready}, repaired it takes part ${part}`;
  const isServed = shots.filter(isSuccess).length > shots.length / 2;
  return { ok: failed.length === 0 && isServed && ready === 503 && part === 'again', line };
};

/** A healthy instance loses its database while the other instance keeps it. */
const loseDatabase = async (
  system: System,
  mode: 'cut' | 'half-open',
  context: ScenarioOptions,
): Promise<ScenarioResult> => {
  const [other, one] = system.instancesOf('clazz');
  if (one === undefined || other === undefined) throw new Error('the scenario needs two instances of clazz');
  const kinds = kindsMatching(await createRequestKinds(system.api, randomUUID()), 'clazz');
  await hasJoinedWithin(one, JOIN_TIMEOUT_MS);
  const traffic = startTraffic(kinds, RATE);
  one.toPostgres?.set(mode);
  const since = Date.now();
  const isOff = await holdsWithin(async () => (await healthStatus(one, 'ready')) === 503, NOTICED_MS);
  await pause(since + NOTICED_MS + DURING_MS - Date.now());
  const shots = (await traffic.stop()).filter(({ at }) => at > since + NOTICED_MS);
  const failed = shots.filter((shot) => !isSuccess(shot));
  await healConnection(one);
  const part = await checkRepaired(system.api, one, other, context);
  const line = `database lost while it runs (${mode}): later than 5 s ${failed.length} of ${shots.length} failed (${failureSummary(shots)}), its readiness is ${isOff ? 'off' : 'not off'}, healed it takes part ${part}`;
  return { ok: failed.length === 0 && isOff && part === 'again', line };
};

export const wrongInstance: Scenario = {
  name: 'wrong-instance',
  about: 'one of two instances has a wrong, unreachable, unmigrated or lost database: it receives no requests',
  system: { instances: { clazz: 2 } },
  run: async (system, context) => {
    const { short } = context;
    const found: ScenarioResult[] = [];
    for (const wrong of short ? WRONGS.slice(0, 1) : WRONGS) found.push(await tryOne(system, wrong, context));
    for (const mode of short ? [] : (['cut', 'half-open'] as const))
      found.push(await loseDatabase(system, mode, context));
    return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
  },
};
