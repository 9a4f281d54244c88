import { randomUUID } from 'node:crypto';
import { withDatabase } from '../../../operators/migrate/provision.ts';
import { waitForJoinOrReason, health, joined } from '../../system/instance-health.ts';
import { holdsWithin, pause } from '../../system/poll.ts';
import { type Context, limitFor, type Outcome, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { isSuccess, kindsOf, only, type Shot, startTraffic, trafficFor, failureSummary } from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

const RATE = 100;
const DURING_MS = 3_000;
const SHORT_RATE = 15;
const JOINS_MS = 10_000;
/** One that runs may need so long to find that its database is gone. */
const NOTICED_MS = 5_000;
const EMPTY = 'empty';

/** What is wrong with the second instance, and how it is put right. */
interface Wrong {
  about: string;
  begin: (system: System, one: ProxiedInstance) => Promise<void>;
  repair: (one: ProxiedInstance) => Promise<void>;
}

const DATABASES = ['DATABASE_URL', 'WORKER_DATABASE_URL'];
const changed = ({ env }: ProxiedInstance, change: (url: string) => string) =>
  Object.fromEntries(DATABASES.map((name) => [name, change(env[name] ?? '')]));

/** The one that is well answers alone while the other starts: it may have enough to do, and says so. */
const isAnswered = (shot: Shot): boolean => isSuccess(shot) || shot.detail === 'Too many requests are waiting';

const withPassword = (url: string): string => {
  const wrong = new URL(url);
  wrong.password = 'wrong';
  return wrong.href;
};

const restart = async (one: ProxiedInstance): Promise<void> => {
  await one.kill();
  one.start();
};
const asUsual = async (one: ProxiedInstance): Promise<void> => {
  one.configure({});
  await restart(one);
};
const healed = async (one: ProxiedInstance): Promise<void> => one.toPostgres?.heal();

const WRONGS: readonly Wrong[] = [
  {
    about: 'a wrong password',
    begin: async (_system, one) => {
      one.configure(changed(one, withPassword));
      await restart(one);
    },
    repair: asUsual,
  },
  {
    about: 'an unreachable database',
    begin: async (_system, one) => {
      one.toPostgres?.set('half-open');
      await restart(one);
    },
    repair: healed,
  },
  {
    about: 'a database that refuses',
    begin: async (_system, one) => {
      one.toPostgres?.set('cut');
      await restart(one);
    },
    repair: healed,
  },
  {
    about: 'an unmigrated database',
    begin: async ({ postgres }, one) => {
      await postgres.sql(`create database ${EMPTY}`);
      one.configure(changed(one, (url) => withDatabase(url, EMPTY)));
      await restart(one);
    },
    repair: asUsual,
  },
];

/** The other one goes, and its requests must be answered by the one that was wrong. */
const takesPart = async (
  api: System['api'],
  one: ProxiedInstance,
  other: ProxiedInstance,
  context: Context,
): Promise<string> => {
  const joins = limitFor(context, JOINS_MS);
  if (!(await joined(one, joins))) return 'never';
  await other.stop(joins);
  const shots = await trafficFor(only(await kindsOf(api, randomUUID()), one.service), 25, 1_000);
  other.start();
  await joined(other, joins);
  return shots.every(isAnswered) ? 'again' : `badly (${failureSummary(shots)})`;
};

const tryOne = async (system: System, { about, begin, repair }: Wrong, context: Context): Promise<Outcome> => {
  const [other, one] = system.of('clazz');
  if (one === undefined || other === undefined) throw new Error('two instances are needed');
  const kinds = only(await kindsOf(system.api, randomUUID()), 'clazz');
  await begin(system, one);
  await waitForJoinOrReason(one);
  const shots = await trafficFor(kinds, context.short ? SHORT_RATE : RATE, DURING_MS);
  const ready = await health(one, 'ready');
  const failed = shots.filter((shot) => !isAnswered(shot));
  await repair(one);
  const part = await takesPart(system.api, one, other, context);
  const line = `${about}: ${failed.length} of ${shots.length} failed (${failureSummary(shots)}), its readiness is ${ready}, repaired it takes part ${part}`;
  const isServed = shots.filter(isSuccess).length > shots.length / 2;
  return { ok: failed.length === 0 && isServed && ready === 503 && part === 'again', line };
};

/** It was well when it joined; then its database goes away from it, and not from the other one. */
const lost = async (system: System, mode: 'cut' | 'half-open', context: Context): Promise<Outcome> => {
  const [other, one] = system.of('clazz');
  if (one === undefined || other === undefined) throw new Error('two instances are needed');
  const kinds = only(await kindsOf(system.api, randomUUID()), 'clazz');
  await joined(one, JOINS_MS);
  const traffic = startTraffic(kinds, RATE);
  one.toPostgres?.set(mode);
  const since = Date.now();
  const isOff = await holdsWithin(async () => (await health(one, 'ready')) === 503, NOTICED_MS);
  await pause(since + NOTICED_MS + DURING_MS - Date.now());
  const shots = (await traffic.stop()).filter(({ at }) => at > since + NOTICED_MS);
  const failed = shots.filter((shot) => !isSuccess(shot));
  await healed(one);
  const part = await takesPart(system.api, one, other, context);
  const line = `lost while it runs (${mode}): later than 5 s ${failed.length} of ${shots.length} failed (${failureSummary(shots)}), its readiness is ${isOff ? 'off' : 'not off'}, healed it takes part ${part}`;
  return { ok: failed.length === 0 && isOff && part === 'again', line };
};

export const wrongInstance: Scenario = {
  name: 'wrong-instance',
  about: 'one of two instances has a wrong, unreachable, unmigrated or lost database: nobody may be sent to it',
  on: { instances: { clazz: 2 } },
  story: async (system, context) => {
    const { short } = context;
    const found: Outcome[] = [];
    for (const wrong of short ? WRONGS.slice(0, 1) : WRONGS) found.push(await tryOne(system, wrong, context));
    for (const mode of short ? [] : (['cut', 'half-open'] as const)) found.push(await lost(system, mode, context));
    return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
  },
};
