import { notNull, bigint, generationFollower, type RunInTransaction, p, statement, type Sweep } from '@teaching/kit';
import { FIGURE_TABLES } from '../figures/figures.table.ts';
import { ORG_CHANGE } from '../figures/org-change.ts';
import { RECORD_TABLES } from '../records/record-kinds.ts';
import { statisticsFollower } from './statistics-follower.ts';

/**
 * Table pages per delete: a few thousand rows. The delete scans pages, because no index begins with the generation.
 */
const PAGES_PER_DELETE = 32;

const NEXT_OLD = statement("select gen from generation where state = 'old' order by gen limit 1", { gen: p.integer() });
const DELETE_GENERATION = statement('delete from generation where gen = $1');
const DELETE_POSITIONS = statement('delete from follower_position where follower = $1');
const RESOLVE_DEAD_LETTERS = statement(
  'update dead_letter set replayed_at = now() where follower = $1 and replayed_at is null',
);
const TABLES = [...RECORD_TABLES, ...FIGURE_TABLES, ORG_CHANGE.name].map((table) => ({
  size: statement(`select pg_relation_size('${table}') / current_setting('block_size')::int as pages`, {
    pages: notNull(bigint()),
  }),
  remove: statement(
    `with gone as (
       delete from ${table} where gen = $1
       and ctid >= format('(%s,0)', $2::bigint)::tid and ctid < format('(%s,0)', $2::bigint + ${PAGES_PER_DELETE})::tid
       returning 1
     ) select count(*) as removed from gone`,
    { removed: notNull(bigint()) },
  ),
}));

/** Deletes the rows of a generation from every table. Yields the number of rows of each transaction. */
async function* removeRows(gen: number, inTx: RunInTransaction): AsyncGenerator<number> {
  for (const { size, remove } of TABLES) {
    const [table] = await inTx((tx) => tx.query(size));
    for (let page = 0; page < (table?.pages ?? 0); page += PAGES_PER_DELETE) {
      const [result] = await inTx((tx) => tx.query(remove, gen, page));
      yield result?.removed ?? 0;
    }
  }
}

/** Deletes a generation without rows, with the positions of its follower. Marks its dead letters as replayed. */
const deleteGeneration = (gen: number, inTx: RunInTransaction): Promise<void> =>
  inTx(async (tx) => {
    const follower = generationFollower(statisticsFollower.name, gen);
    tx.run(DELETE_POSITIONS, follower);
    tx.run(RESOLVE_DEAD_LETTERS, follower);
    tx.run(DELETE_GENERATION, gen);
  });

async function* pieces(inTx: RunInTransaction): AsyncGenerator<number> {
  const next = async (): Promise<number | undefined> => (await inTx((tx) => tx.query(NEXT_OLD)))[0]?.gen;
  for (let gen = await next(); gen !== undefined; gen = await next()) {
    let removed: number;
    // A transaction that was running when the generation became old may have stored rows on pages already scanned.
    do {
      removed = 0;
      for await (const rows of removeRows(gen, inTx)) {
        removed += rows;
        yield rows;
      }
    } while (removed > 0);
    await deleteGeneration(gen, inTx);
  }
}

/** Removes old generations, every 10 seconds. */
export const removeOldGenerations: Sweep = { name: 'old generations of the statistics', every_ms: 10_000, pieces };
