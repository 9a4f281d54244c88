import { setInterval } from 'node:timers/promises';
import type pg from 'pg';

/** Where a step does its work. */
export interface StepContext {
  client: pg.Client;
  /** Another connection, to look at what the first one is doing. */
  look: (sql: string) => Promise<readonly { at: string }[]>;
  tell: (line: string) => void;
}

/** One step of a migration. Done once more it does nothing, and after it was cut off what is left. */
export interface MigrationStep {
  sql: string;
  run: (work: StepContext) => Promise<void>;
}

const TELL_MS = 5_000;
const count = (n: number): string => n.toLocaleString('en');

/** A statement outside of a transaction that may be sent again, such as `alter table … validate constraint …`. */
export const repeatableStatement = (sql: string): MigrationStep => ({
  sql,
  run: async ({ client, tell }) => {
    tell(sql);
    await client.query(sql);
  },
});

const BUILDING = `select phase || ', ' || blocks_done || ' of ' || blocks_total || ' blocks' as at from pg_stat_progress_create_index
  where datname = current_database() order by pid limit 1`;

const tellBuilding = async ({ look, tell }: StepContext, index: string, stop: AbortSignal): Promise<void> => {
  try {
    for await (const _ of setInterval(TELL_MS, undefined, { signal: stop })) {
      const [found] = await look(BUILDING);
      if (found !== undefined) tell(`index ${index}: ${found.at}`);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
};

/**
 * An index that is made while others write: `on` is the rest of `create index`, such as `on lesson (org_id, topic)`.
 * One that was cut off is left in the schema, counts for nothing, and is made anew.
 */
export const concurrentIndex = (index: string, on: string, kind: 'index' | 'unique index' = 'index'): MigrationStep => {
  const sql = `create ${kind} concurrently ${index} ${on}`;
  return {
    sql,
    run: async (work) => {
      const { client, tell } = work;
      const { rows } = await client.query<{ whole: boolean }>(
        'select indisvalid as whole from pg_index where indexrelid = to_regclass($1)',
        [index],
      );
      if (rows[0]?.whole === true) return;
      if (rows[0]?.whole === false) await client.query(`drop index concurrently ${index}`);
      tell(`index ${index}: being made`);
      const done = new AbortController();
      const telling = tellBuilding(work, index, done.signal);
      await client.query(sql).finally(() => done.abort());
      await telling;
      tell(`index ${index}: there`);
    },
  };
};

/** Stands in a statement of `batchedUpdate` for the rows that it is about this time. */
export const ROW_RANGE = 'ctid >= $1::tid and ctid < $2::tid';

/** Rows stay locked until their piece is stored. */
const PIECE_MS = 200;
const FIRST_BLOCKS = 64;
const MOST_PASSES = 10;

const blocksOf = async (client: pg.Client, table: string): Promise<number> => {
  const { rows } = await client.query<{ blocks: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as blocks`,
    [table],
  );
  return rows[0]?.blocks ?? 0;
};

/** Goes through the table once, piece by piece; how many rows it changed. */
const pass = async ({ client, tell }: StepContext, table: string, sql: string, before: number): Promise<number> => {
  const end = await blocksOf(client, table);
  let changed = 0;
  let blocks = FIRST_BLOCKS;
  let told = Date.now();
  for (let from = 0; from < end;) {
    const begun = Date.now();
    const { rowCount } = await client.query(sql, [`(${from},0)`, `(${from + blocks},0)`]);
    changed += rowCount ?? 0;
    from += blocks;
    const ms = Date.now() - begun;
    blocks = ms > PIECE_MS ? Math.max(1, blocks >> 1) : blocks * (ms < PIECE_MS / 2 ? 2 : 1);
    if (Date.now() - told < TELL_MS) continue;
    told = Date.now();
    tell(`${table}: ${count(before + changed)} rows, ${Math.round((Math.min(from, end) / end) * 100)} % of the table`);
  }
  return changed;
};

/**
 * Changes all rows of a table by pieces of a moment each. The statement says `ROW_RANGE`, and by its condition leaves out what
 * is done: rows move while others write, so it goes through the table until nothing is left.
 */
export const batchedUpdate = (table: string, sql: string): MigrationStep => {
  if (!sql.includes(ROW_RANGE)) throw new Error(`a statement about every row of ${table} says ROW_RANGE`);
  return {
    sql,
    run: async (work) => {
      let all = 0;
      for (let n = 0; n < MOST_PASSES; n += 1) {
        const changed = await pass(work, table, sql, all);
        all += changed;
        if (changed > 0) continue;
        return work.tell(`${table}: ${count(all)} rows changed`);
      }
      throw new Error(
        `${table}: after ${MOST_PASSES} times through it there still are rows: does it leave out what is done?`,
      );
    },
  };
};
