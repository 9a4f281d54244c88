import { expect } from 'vitest';
import { rebuildCalls } from '../../../libs/contracts/src/stats/rebuild.calls.ts';
import { busConfig, connectBus, createLogger, createRequester, readConfig } from '../../../libs/kit/src/index.ts';
import { z } from 'zod';
import { callInternally } from '../../../tools/local/internal-call.ts';
import { FED_BY } from '../src/projector/fed-by.ts';
import type { Fixture } from '../../../tools/test/fixture.ts';

/** Waits until every event of the sources is applied in the statistics. */
export const caughtUp = async (fixture: Fixture): Promise<void> => {
  await expect
    .poll(
      async () => {
        const [row] = await fixture.sql<{ missing: number }>(
          `
          select count(*)::int as missing
          from (select tx_id, id, event from clazz.outbox union all select tx_id, id, event from course.outbox) as o
          where event ->> 'type' = any ($1)
            and not exists (select from stats.inbox as i where i.tx_id = o.tx_id and o.id = any (i.event_ids))`,
          [FED_BY.map(({ type }) => type)],
        );
        return row?.missing;
      },
      { timeout: 10_000 },
    )
    .toBe(0);
};

/** Rebuilds all statistics the way the tool does; `between` runs after the first steps. */
export const rebuild = async (
  fixture: Fixture,
  limit = 100,
  between: () => Promise<void> = async () => {},
): Promise<number> => {
  const config = readConfig(z.object(busConfig), fixture.envFor('stats'));
  const bus = await connectBus(config, 'rebuild', createLogger('rebuild', 'fatal'));
  const requester = createRequester(bus);
  try {
    let progress = await callInternally(requester, rebuildCalls.begin, {});
    let steps = 0;
    while (!progress.done) {
      const { gen, replayed } = progress;
      progress = await callInternally(requester, rebuildCalls.step, { gen, replayed, limit });
      if ((steps += 1) === 2) await between();
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
  account: 'true',
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
