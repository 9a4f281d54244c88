import { type Statement, statement, type Written } from '@teaching/kit';
import { HOUR_DRAW } from './hour-draw.table.ts';
import type { LedgerTx } from './open-books.ts';

type DrawRow = Written<typeof HOUR_DRAW>;
type Change = readonly [drawn: Statement, adjusted: Statement];

/**
 * What stands behind lessons, and what was owed without one: each has an index of its own, in which `offset 0` makes it a
 * search for each draw. Whoever changes draws has locked the account, so a row stays where it is.
 */
const changing = (verb: (found: string) => string): Change => {
  const made = (key: string) =>
    statement(
      verb(
        `${HOUR_DRAW.given('$2')} as d
         cross join lateral (
           select ctid as place from hour_draw
           where org_id = $1 and student_id = d.student_id and id = d.id and ${key} offset 0) as t`,
      ),
    );
  return [made('lesson_id = d.lesson_id'), made('lesson_id is null')];
};
const REMOVE = changing((found) => `delete from hour_draw where ctid = any(array(select t.place from ${found}))`);
const SAVE = changing(
  (found) => `update hour_draw as old set amount = d.amount from ${found} where old.ctid = t.place`,
);

const run = (tx: LedgerTx, [drawn, adjusted]: Change, draws: readonly DrawRow[]): void => {
  const [ofLessons, others] = [
    draws.filter((it) => it.lesson_id !== null),
    draws.filter((it) => it.lesson_id === null),
  ];
  if (ofLessons.length > 0) tx.run(drawn, tx.org_id, HOUR_DRAW.rows(ofLessons));
  if (others.length > 0) tx.run(adjusted, tx.org_id, HOUR_DRAW.rows(others));
};

export const removeDraws = (tx: LedgerTx, draws: readonly DrawRow[]): void => run(tx, REMOVE, draws);

/** Of a draw only its hours ever change. */
export const saveDraws = (tx: LedgerTx, draws: readonly DrawRow[]): void => run(tx, SAVE, draws);
