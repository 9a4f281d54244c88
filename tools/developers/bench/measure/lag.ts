import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Outcome } from '../load/work.ts';
import type { Site } from '../site/site.ts';
import type { System } from '../system/system.ts';
import { measureLoad, type Measuring } from './loads.ts';

const WRITES_A_SECOND = 400;
/** Connections enough that requests leave by the clock. */
const CONNECTIONS = 64;
/** A class is changed again after longer than this, so that hardly a change is missed. */
const LOOK_MS = 100;
/** Which change statistics have of each class, and when the transaction that stored it was committed. */
const STORED = `
  select name, extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as at from stats.clazz
  where name like 'Class in round %' and gen = (select gen from stats.generation where state = 'current')`;
const Stored = z.array(z.object({ name: z.string(), at: z.coerce.number() }));

/** Looks until told to stop; answers when each change was stored. */
const watch = ({ session }: System) => {
  const watching = { on: true };
  const stored = new Map<string, number>();
  const done = session(async (ask) => {
    for (let last = false; !last; await sleep(LOOK_MS)) {
      last = !watching.on;
      for (const { name, at } of Stored.parse(await ask(STORED))) stored.set(name, at);
    }
  });
  return async (): Promise<ReadonlyMap<string, number>> => {
    watching.on = false;
    await done;
    return stored;
  };
};

/** From the answer of each write until it was stored; one that is stored before its answer lags by nothing. */
const lagsOf = ({ answered }: Outcome, stored: ReadonlyMap<string, number>): number[] =>
  Object.entries(answered).flatMap(([name, at]) => {
    const then = stored.get(name);
    return then === undefined ? [] : [Math.max(0, then - at)];
  });

const watched = (site: Site): Site => ({
  ...site,
  contenders: async (name, load) =>
    (await site.contenders(name, load)).map((one) => ({
      ...one,
      run: async (seconds) => {
        const stop = watch(site.system);
        const outcome = await one.run(seconds);
        return { ...outcome, others: { ...outcome.others, lag: lagsOf(outcome, await stop()) } };
      },
    })),
});

/** From the answer of a write until statistics have stored it, by the database's own clock of commits. */
export const measureLag = async (measuring: Measuring): Promise<void> => {
  for (const { system } of measuring.sites) await system.restart(['track_commit_timestamp=on']);
  const sites = measuring.sites.map(watched);
  const load = { connections: CONNECTIONS, rate: WRITES_A_SECOND };
  await measureLoad({ ...measuring, sites }, 'lag', 'lag', load, measuring.pace.longWarmUpS);
};
