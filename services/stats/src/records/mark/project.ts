import { statement, type WorkerTx } from '@teaching/kit';
import type { LessonKey } from '../../figures/refresh-clazz-figures.ts';
import { projection } from '../projection.ts';
import { rollCallsTold } from '../roll-calls-told.ts';
import { MARK } from './table.ts';

/** Where a mark counts: of its lesson `l`, which is stored before. */
const PLACE = { clazz_id: 'l.clazz_id', at: 'l.starts_at', counts: "l.status in ('scheduled', 'held')" };
/** One search by key for each, whatever the planner believes about tables it has not seen for a while (`offset 0`). */
const LESSON_OF = (alias: string): string => `cross join lateral (
  select * from lesson
  where org_id = ${alias}.org_id and gen = $1 and id = ${alias}.lesson_id offset 0) as l`;

export const marks = projection(MARK, {
  keeps: { highest: 'seq' },
  states: function* (batch) {
    for (const { org_id, seq, lesson, marks } of rollCallsTold(batch)) {
      for (const mark of marks) yield { ...mark, org_id, seq, lesson_id: lesson.id };
    }
  },
  added: { join: LESSON_OF('e'), columns: PLACE },
  touched: (told) => ({
    lessons: [...new Map(told.map(({ org_id, lesson_id }) => [lesson_id, { org_id, lesson_id }])).values()],
  }),
});

/** `gen` is compared with the lesson's: with $1 it would seem to leave a handful of rows, which are then read for each lesson. */
const MOVE_MARKS = statement(`
  update mark as m set ${Object.entries(PLACE)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}
  from json_populate_recordset(null::mark, $2) as e ${LESSON_OF('e')}
  where m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id`);

/** Takes the marks of lessons along to where these are now. */
export const moveMarks = (tx: WorkerTx, gen: number, moved: readonly LessonKey[]): void => {
  if (moved.length > 0) tx.run(MOVE_MARKS, gen, JSON.stringify(moved));
};
