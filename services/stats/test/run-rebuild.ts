import { inject } from 'vitest';
import { rebuildCalls } from '../../../libs/contracts/src/stats/rebuild.calls.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { connectOperator } from '../../../tools/operators/operator/operator.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { FIGURE_TABLES } from '../src/figures/figures.table.ts';
import { RECORD_TABLES } from '../src/records/record-kinds.ts';

/** Rebuilds all statistics the way the tool does; `between` runs once it has begun. */
export const runRebuild = async (fixture: Fixture, between: () => Promise<void> = async () => {}): Promise<number> => {
  const operator = await connectOperator('rebuild', {
    NATS_URL: fixture.nats.url,
    NATS_ADMIN_PASSWORD: inject('stack').secrets.nats.admin,
  });
  try {
    let progress = await operator.ask(rebuildCalls.begin, {});
    await between();
    while (!progress.done) {
      await pause(20);
      progress = await operator.ask(rebuildCalls.progress, {});
    }
    return progress.gen;
  } finally {
    await operator.close();
  }
};

export const TABLES = [...RECORD_TABLES, ...FIGURE_TABLES];
/** Sums that have come back to nothing may stay as a row of zeros. */
const COUNTED: Readonly<Record<string, string>> = {
  org_figure: 'scheduled + seats + markings + leave_handled > 0 or hours_consumed <> 0',
};

/** Every row of the generation that counts. */
export const tables = async (fixture: Fixture, org: string): Promise<Record<string, unknown>> => {
  const found: Record<string, unknown> = {};
  for (const table of TABLES) {
    found[table] = await fixture.sql(
      `select to_jsonb(t) - 'gen' as row from stats.${table} as t
       where org_id = $1 and gen = (select gen from stats.generation where state = 'current')
         and (${COUNTED[table] ?? 'true'})
       order by (to_jsonb(t) - 'gen')::text`,
      [org],
    );
  }
  return found;
};
