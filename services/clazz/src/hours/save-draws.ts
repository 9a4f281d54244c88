import { statement, type Written } from '@teaching/kit';
import { HOUR_DRAW } from './hour-draw.table.ts';
import type { LedgerTx } from './open-books.ts';

const remove = (which: string) =>
  statement(
    `delete from hour_draw t using json_populate_recordset(null::hour_draw, $2) as d
     where t.org_id = $1 and ${which} and t.student_id = d.student_id and t.id = d.id`,
  );
const REMOVE_DRAWN = remove('t.lesson_id = d.lesson_id');
const REMOVE_ADJUSTED = remove('t.lesson_id is null');

const save = (key: string) =>
  statement(
    `insert into hour_draw (${HOUR_DRAW.columns})
     select ${HOUR_DRAW.columns} from json_populate_recordset(null::hour_draw, $1)
     on conflict ${key} do update set amount = excluded.amount`,
  );
const SAVE_DRAWN = save(
  `(org_id, lesson_id, hashtextextended(student_id || ' ' || coalesce(lot_id::text, ''), 0)) where lesson_id is not null`,
);
const SAVE_ADJUSTED = save('(org_id, student_id, id) where lesson_id is null');

type DrawRow = Written<typeof HOUR_DRAW>;

/** What stands behind lessons, and what was owed without one: each has an index of its own. */
const byLesson = <T extends Pick<DrawRow, 'lesson_id'>>(draws: readonly T[]): [T[], T[]] => [
  draws.filter(({ lesson_id }) => lesson_id !== null),
  draws.filter(({ lesson_id }) => lesson_id === null),
];

export const removeDraws = (tx: LedgerTx, draws: readonly Pick<DrawRow, 'student_id' | 'lesson_id' | 'id'>[]): void => {
  const keys = draws.map(({ student_id, lesson_id, id }) => ({ student_id, lesson_id, id }));
  const [drawn, adjusted] = byLesson(keys);
  if (drawn.length > 0) tx.run(REMOVE_DRAWN, tx.org_id, JSON.stringify(drawn));
  if (adjusted.length > 0) tx.run(REMOVE_ADJUSTED, tx.org_id, JSON.stringify(adjusted));
};

export const saveDraws = (tx: LedgerTx, draws: readonly DrawRow[]): void => {
  const [drawn, adjusted] = byLesson(draws);
  if (drawn.length > 0) tx.run(SAVE_DRAWN, HOUR_DRAW.rows(drawn));
  if (adjusted.length > 0) tx.run(SAVE_ADJUSTED, HOUR_DRAW.rows(adjusted));
};
