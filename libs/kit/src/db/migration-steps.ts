import { setInterval } from 'node:timers/promises';
import type pg from 'pg';

/** The connections and the report of a step. */
export interface StepContext {
  client: pg.Client;
  /** Reads the progress of the step over another connection. */
  readProgress: (sql: string) => Promise<readonly { at: string }[]>;
  report: (line: string) => void;
}

/** One step of a migration. It can be repeated: a finished step does nothing, an interrupted one does the rest. */
export interface MigrationStep {
  sql: string;
  run: (work: StepContext) => Promise<void>;
}

const REPORT_MS = 5_000;
const count = (n: number): string => n.toLocaleString('en');

/** A statement outside of a transaction that can be repeated, such as `alter table … validate constraint …`. */
export const repeatableStatement = (sql: string): MigrationStep => ({
  sql,
  run: async ({ client, report }) => {
    report(sql);
    await client.query(sql);
  },
});

const BUILDING = `select phase || ', ' || blocks_done || ' of ' || blocks_total || ' blocks' as at from pg_stat_progress_create_index
  where datname = current_database() order by pid limit 1`;

const reportProgress = async (
  { readProgress, report }: StepContext,
  index: string,
  stop: AbortSignal,
): Promise<void> => {
  try {
    for await (const _ of setInterval(REPORT_MS, undefined, { signal: stop })) {
      const [found] = await readProgress(BUILDING);
      if (found !== undefined) report(`index ${index}: ${found.at}`);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
};

/**
 * Creates an index without blocking writers. `on` is the rest of `create index`, such as `on lesson (org_id, topic)`.
 * An interrupted attempt leaves an invalid index, which is dropped and created again.
 */
export const concurrentIndex = (index: string, on: string, kind: 'index' | 'unique index' = 'index'): MigrationStep => {
  const sql = `create ${kind} concurrently ${index} ${on}`;
  return {
    sql,
    run: async (work) => {
      const { client, report } = work;
      const { rows } = await client.query<{ whole: boolean }>(
        'select indisvalid as whole from pg_index where indexrelid = to_regclass($1)',
        [index],
      );
      if (rows[0]?.whole === true) return;
      if (rows[0]?.whole === false) await client.query(`drop index concurrently ${index}`);
      report(`index ${index}: being created`);
      const done = new AbortController();
      const reporting = reportProgress(work, index, done.signal);
      await client.query(sql).finally(() => done.abort());
      await reporting;
      report(`index ${index}: created`);
    },
  };
};

/** The condition in a statement of `batchedUpdate` that selects the rows of the current batch. */
export const ROW_RANGE = 'ctid >= $1::tid and ctid < $2::tid';

/** Target duration of a batch, in milliseconds: its rows stay locked until it is stored. */
const BATCH_MS = 200;
const FIRST_BLOCKS = 64;
const MAX_PASSES = 10;

const blocksOf = async (client: pg.Client, table: string): Promise<number> => {
  const { rows } = await client.query<{ blocks: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as blocks`,
    [table],
  );
  return rows[0]?.blocks ?? 0;
};

/** Goes through the table once, batch by batch. Returns the number of changed rows. */
const updateAllRows = async (
  { client, report }: StepContext,
  table: string,
  sql: string,
  before: number,
): Promise<number> => {
  const end = await blocksOf(client, table);
  let changed = 0;
  let blocks = FIRST_BLOCKS;
  let reportedAt = Date.now();
  for (let from = 0; from < end;) {
    const begun = Date.now();
    const { rowCount } = await client.query(sql, [`(${from},0)`, `(${from + blocks},0)`]);
    changed += rowCount ?? 0;
    from += blocks;
    const ms = Date.now() - begun;
    blocks = ms > BATCH_MS ? Math.max(1, blocks >> 1) : blocks * (ms < BATCH_MS / 2 ? 2 : 1);
    if (Date.now() - reportedAt < REPORT_MS) continue;
    reportedAt = Date.now();
    report(
      `${table}: ${count(before + changed)} rows, ${Math.round((Math.min(from, end) / end) * 100)} % of the table`,
    );
  }
  return changed;
};

/**
 * Changes all rows of a table in short batches. The statement contains `ROW_RANGE`, and its condition excludes rows
 * that are done. Rows move while others write, so the table is passed until no row is left.
 */
export const batchedUpdate = (table: string, sql: string): MigrationStep => {
  if (!sql.includes(ROW_RANGE)) throw new Error(`the statement for every row of ${table} must contain ROW_RANGE`);
  return {
    sql,
    run: async (work) => {
      let all = 0;
      for (let n = 0; n < MAX_PASSES; n += 1) {
        const changed = await updateAllRows(work, table, sql, all);
        all += changed;
        if (changed > 0) continue;
        return work.report(`${table}: ${count(all)} rows changed`);
      }
      throw new Error(
        `${table}: rows are still left after ${MAX_PASSES} passes: does the statement exclude rows that are done?`,
      );
    },
  };
};
