import { statement, type WorkerTx } from '@teaching/kit';
import type { LessonKey } from '../../figures/refresh-clazz-figures.ts';
import { projection } from '../projection.ts';
import { rollCallsTold } from '../roll-calls-told.ts';
import { MARK } from './table.ts';

/** Where a mark counts: of its lesson `l`, which is stored before. */
const PLACE = { clazz_id: 'l.clazz_id', at: 'l.starts_at', counts: "l.status in ('scheduled', 'held')" };
/** One search by key for each, whatever the planner believes about tables it has not seen for a while (`offset 0`). */
const LESSON_OF = (alias: string): string => `cross join lateral (
  select clazz_id, starts_at, status from lesson
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

const STAYING = MARK.without('clazz_id', 'at', 'counts');
/** Stored once more under their keys: these find the rows, whatever the planner believes. */
const MOVE_MARKS = statement(`
  insert into mark (${STAYING.columns}, ${Object.keys(PLACE).join(', ')})
  select ${STAYING.of('m')}, ${Object.values(PLACE).join(', ')}
  from json_populate_recordset(null::mark, $2) as e ${LESSON_OF('e')}
  cross join lateral (select * from mark where org_id = e.org_id and gen = $1 and lesson_id = e.lesson_id offset 0) as m
  on conflict (${MARK.keys.join(', ')}) do update set ${Object.keys(PLACE)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`);

/** Takes the marks of lessons along to where these are now. */
export const moveMarks = (tx: WorkerTx, gen: number, moved: readonly LessonKey[]): void => {
  if (moved.length > 0) tx.run(MOVE_MARKS, gen, JSON.stringify(moved));
};
