import { inject } from 'vitest';
import { rebuildCalls } from '../../../libs/contracts/src/stats/rebuild.calls.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { connectOperator } from '../../../tools/operators/operator/operator.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { FIGURE_TABLES } from '../src/figures/figures.table.ts';
import { RECORD_TABLES } from '../src/records/record-kinds.ts';

/**
 * Rebuilds all statistics as the operator's tool does, and returns the new generation. `between` runs after the start.
 */
export const rebuildStatistics = async (
  fixture: Fixture,
  between: () => Promise<void> = async () => {},
): Promise<number> => {
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

export const STATISTICS_TABLES = [...RECORD_TABLES, ...FIGURE_TABLES];
/** Conditions that leave out rows of zeros. Such a row can remain after its sums have returned to zero. */
const NONZERO: Readonly<Record<string, string>> = {
  org_figure: 'scheduled + seats + markings + leave_handled > 0 or hours_consumed <> 0',
};

/** All rows of the organization in the current generation, by table. */
export const readTables = async (fixture: Fixture, org: string): Promise<Record<string, unknown>> => {
  const found: Record<string, unknown> = {};
  for (const table of STATISTICS_TABLES) {
    found[table] = await fixture.sql(
      `select to_jsonb(t) - 'gen' as row from stats.${table} as t
       where org_id = $1 and gen = (select gen from stats.generation where state = 'current')
         and (${NONZERO[table] ?? 'true'})
       order by (to_jsonb(t) - 'gen')::text`,
      [org],
    );
  }
  return found;
};
