import { expect } from 'vitest';
import { rebuildCalls } from '../../../libs/contracts/src/stats/rebuild.calls.ts';
import { busConfig, connectBus, createLogger, createRequester, readConfig } from '../../../libs/kit/src/index.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { callInternally } from '../../../tools/local/internal-call.ts';
import type { Fixture } from '../../../tools/test/fixture.ts';

/** Waits until the statistics have reached the end of both logs they follow, and nothing waits for its number. */
export const caughtUp = async (fixture: Fixture): Promise<void> => {
  await expect
    .poll(
      async () =>
        fixture.sql(`
          select o.log from (
            select 'clazz' as log, no, (select count(*) from clazz.outbox) as waiting from clazz.log_head where log = 'domain'
            union all
            select 'course', no, (select count(*) from course.outbox) from course.log_head where log = 'domain'
          ) as o
          where o.waiting > 0 or o.no > coalesce((
            select p.no from stats.follower_position as p
            where p.log = o.log and p.follower = 'statistics ' || (select gen from stats.generation where state = 'current')
          ), -1)`),
      { timeout: 10_000 },
    )
    .toEqual([]);
};

/** Rebuilds all statistics the way the tool does; `between` runs once it has begun. */
export const rebuild = async (fixture: Fixture, between: () => Promise<void> = async () => {}): Promise<number> => {
  const config = readConfig(z.object(busConfig), fixture.envFor('stats'));
  const bus = await connectBus(config, 'rebuild', createLogger('rebuild', 'fatal'));
  const requester = createRequester(bus);
  try {
    let progress = await callInternally(requester, rebuildCalls.begin, {});
    await between();
    while (!progress.done) {
      await pause(20);
      progress = await callInternally(requester, rebuildCalls.progress, {});
    }
    return progress.gen;
  } finally {
    requester.stop();
    await bus.close();
  }
};

const TABLES = {
  clazz: 'true',
  lesson: 'true',
  mark: 'true',
  roll_call: 'true',
  enrolment: 'true',
  leave: 'true',
  entry: 'true',
  lot: 'true',
  marking: 'true',
  member: 'true',
  clazz_figure: 'true',
  // Sums that have come back to nothing may stay as a row of zeros.
  org_figure: 'scheduled + seats + markings + leave_handled > 0 or hours_consumed <> 0',
  org_account: 'true',
} as const;

/** Every row of the generation that counts. */
export const tables = async (fixture: Fixture, org: string): Promise<Record<string, unknown>> => {
  const found: Record<string, unknown> = {};
  for (const [table, where] of Object.entries(TABLES)) {
    found[table] = await fixture.sql(
      `select to_jsonb(t) - 'gen' as row from stats.${table} as t
       where org_id = $1 and gen = (select gen from stats.generation where state = 'current') and (${where})
       order by (to_jsonb(t) - 'gen')::text`,
      [org],
    );
  }
  return found;
};
