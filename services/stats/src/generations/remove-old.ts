import { p } from '@mikro-orm/postgresql';
import { always, bigint, followerOf, type Job, statement } from '@teaching/kit';
import { FIGURE_TABLES } from '../figures/index.ts';
import { RECORD_TABLES } from '../records/index.ts';
import { STATISTICS } from './statistics.ts';

/** Rows removed from each table at a time, so that a run stays short. */
const ROWS = 50_000;

const OLD = statement("select gen from generation where state = 'old' order by gen limit 1", { gen: p.integer() });
const FORGET = statement('delete from generation where gen = $1');
const FORGET_PLACES = statement('delete from follower_position where follower = $1');
const FORGET_LETTERS = statement(
  'update dead_letter set replayed_at = now() where follower = $1 and replayed_at is null',
);
const REMOVE = [...RECORD_TABLES, ...FIGURE_TABLES].map((table) =>
  statement(
    `with gone as (
       delete from ${table} where ctid = any (array(select ctid from ${table} where gen = $1 limit ${ROWS})) returning 1
     ) select count(*) as removed from gone`,
    { removed: always(bigint()) },
  ),
);

/** Removes generations that count no more, piece by piece. */
export const removeOld: Job = {
  name: 'old generations',
  every_ms: 10_000,
  run: async (tx) => {
    const [old] = await tx.query(OLD);
    if (old === undefined) return;
    let removed = 0;
    for (const what of REMOVE) removed += (await tx.query(what, old.gen))[0]?.removed ?? 0;
    if (removed > 0) return;
    const follower = followerOf(STATISTICS.name, old.gen);
    tx.run(FORGET_PLACES, follower);
    tx.run(FORGET_LETTERS, follower);
    tx.run(FORGET, old.gen);
  },
};
