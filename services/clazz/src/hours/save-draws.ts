import { type Statement, statement, type Written } from '@teaching/kit';
import { HOUR_DRAW } from './hour-draw.table.ts';
import type { LedgerTx } from './open-books.ts';

type DrawRow = Written<typeof HOUR_DRAW>;
type Change = readonly [drawn: Statement, adjusted: Statement];

/** What stands behind lessons, and what was owed without one: each has an index of its own. */
const changing = (verb: (which: string) => string): Change => {
  const made = (key: string) =>
    statement(verb(`t.org_id = $1 and ${key} and t.student_id = d.student_id and t.id = d.id`));
  return [made('t.lesson_id = d.lesson_id'), made('t.lesson_id is null')];
};
const GIVEN = HOUR_DRAW.given('$2');
const REMOVE = changing((which) => `delete from hour_draw t using ${GIVEN} as d where ${which}`);
const SAVE = changing((which) => `update hour_draw t set amount = d.amount from ${GIVEN} as d where ${which}`);

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
