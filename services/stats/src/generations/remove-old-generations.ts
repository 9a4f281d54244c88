import { notNull, bigint, generationFollower, type RunInTransaction, p, statement, type Sweep } from '@teaching/kit';
import { FIGURE_TABLES } from '../figures/figures.table.ts';
import { ORG_CHANGE } from '../figures/org-change.ts';
import { RECORD_TABLES } from '../records/record-kinds.ts';
import { statisticsFollower } from './statistics-follower.ts';

/** Pages of a table looked through at a time: some thousand rows. No index leads with the generation. */
const PAGES = 32;

const OLD = statement("select gen from generation where state = 'old' order by gen limit 1", { gen: p.integer() });
const FORGET = statement('delete from generation where gen = $1');
const FORGET_PLACES = statement('delete from follower_position where follower = $1');
const FORGET_LETTERS = statement(
  'update dead_letter set replayed_at = now() where follower = $1 and replayed_at is null',
);
const TABLES = [...RECORD_TABLES, ...FIGURE_TABLES, ORG_CHANGE.name].map((table) => ({
  size: statement(`select pg_relation_size('${table}') / current_setting('block_size')::int as pages`, {
    pages: notNull(bigint()),
  }),
  remove: statement(
    `with gone as (
       delete from ${table} where gen = $1
       and ctid >= format('(%s,0)', $2::bigint)::tid and ctid < format('(%s,0)', $2::bigint + ${PAGES})::tid
       returning 1
     ) select count(*) as removed from gone`,
    { removed: notNull(bigint()) },
  ),
}));

/** Removes the rows that every table has of a generation. */
async function* removeRows(gen: number, inTx: RunInTransaction): AsyncGenerator<number> {
  for (const { size, remove } of TABLES) {
    const [table] = await inTx((tx) => tx.query(size));
    for (let page = 0; page < (table?.pages ?? 0); page += PAGES) {
      const [piece] = await inTx((tx) => tx.query(remove, gen, page));
      yield piece?.removed ?? 0;
    }
  }
}

/** Once nothing is left of it, it is forgotten, with the places and dead letters of its follower. */
const forget = (gen: number, inTx: RunInTransaction): Promise<void> =>
  inTx(async (tx) => {
    const follower = generationFollower(statisticsFollower.name, gen);
    tx.run(FORGET_PLACES, follower);
    tx.run(FORGET_LETTERS, follower);
    tx.run(FORGET, gen);
  });

async function* pieces(inTx: RunInTransaction): AsyncGenerator<number> {
  const next = async (): Promise<number | undefined> => (await inTx((tx) => tx.query(OLD)))[0]?.gen;
  for (let gen = await next(); gen !== undefined; gen = await next()) {
    let removed: number;
    // What was under way when it became old may have been stored behind the sweep.
    do {
      removed = 0;
      for await (const rows of removeRows(gen, inTx)) {
        removed += rows;
        yield rows;
      }
    } while (removed > 0);
    await forget(gen, inTx);
  }
}

/** Removes generations that count no more. */
export const removeOldGenerations: Sweep = { name: 'old generations of the statistics', every_ms: 10_000, pieces };
