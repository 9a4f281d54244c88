import type { Mark } from '@teaching/contracts';
import { type Received, statement } from '@teaching/kit';
import { bySeq, recordKind, replaced } from '../record-kind.ts';
import type { Tx } from '../tx.ts';
import { rollCallsTold } from './roll-calls-told.ts';

interface MarkRow {
  org_id: string;
  lesson_id: string;
  student_id: string;
  mark: Mark | null;
  marked_by: string;
  marked_at: string;
  charged_hours: string;
  revision: number;
  seq: number;
}

interface RollCallRow {
  org_id: string;
  lesson_id: string;
  taken_at: string;
}

/** A lesson that events tell marks of. */
export interface MarkedLesson {
  org_id: string;
  lesson_id: string;
}

export const markedLessons = (batch: readonly Received[]): MarkedLesson[] => [
  ...new Map(
    [...rollCallsTold(batch)].map(({ org_id, lesson }) => [lesson.id, { org_id, lesson_id: lesson.id }]),
  ).values(),
];

/** Where a mark counts: of its lesson `l`, which is stored before. */
const PLACE = { clazz_id: 'l.clazz_id', at: 'l.starts_at', counts: "l.status in ('scheduled', 'held')" };
const ITS_LESSON = 'l.org_id = e.org_id and l.gen = $1 and l.id = e.lesson_id';

export const marks = recordKind<MarkRow>()({
  columns: {
    org_id: 'uuid',
    lesson_id: 'uuid',
    student_id: 'text',
    mark: 'text',
    marked_by: 'text',
    marked_at: 'timestamptz',
    charged_hours: 'numeric',
    revision: 'int',
    seq: 'bigint',
  },
  key: ({ lesson_id, student_id }) => `${lesson_id} ${student_id}`,
  isLater: bySeq,
  states: function* (batch) {
    for (const { org_id, seq, lesson, marks } of rollCallsTold(batch)) {
      for (const mark of marks) yield { ...mark, org_id, seq, lesson_id: lesson.id };
    }
  },
  store: (sql) => `
    insert into mark (gen, ${sql.names}, ${Object.keys(PLACE).join(', ')})
    select $1, e.*, ${Object.values(PLACE).join(', ')} from ${sql.rows} join lesson as l on ${ITS_LESSON}
    on conflict (org_id, gen, lesson_id, student_id) do update set ${sql.replaced}, ${replaced(Object.keys(PLACE))}
      where mark.seq < excluded.seq`,
});

const MOVE_MARKS = statement(`
  update mark as m set ${Object.entries(PLACE)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}
  from unnest($2::uuid[], $3::uuid[]) as e(org_id, lesson_id) join lesson as l on ${ITS_LESSON}
  where m.org_id = e.org_id and m.gen = $1 and m.lesson_id = e.lesson_id`);

/** Takes the marks of lessons along to where these are now. */
export const moveMarks = (tx: Tx, gen: number, moved: readonly { org_id: string; id: string }[]): void => {
  if (moved.length === 0) return;
  const [org_ids, ids] = [moved.map(({ org_id }) => org_id), moved.map(({ id }) => id)];
  tx.run(MOVE_MARKS, gen, org_ids, ids);
};

/** When the first mark of each lesson was set. */
export const rollCalls = recordKind<RollCallRow>()({
  columns: { org_id: 'uuid', lesson_id: 'uuid', taken_at: 'timestamptz' },
  key: ({ lesson_id }) => lesson_id,
  isLater: (a, b) => a.taken_at < b.taken_at,
  states: function* (batch) {
    for (const { org_id, lesson, marks } of rollCallsTold(batch)) {
      for (const { mark, marked_at } of marks) {
        if (mark !== null) yield { org_id, lesson_id: lesson.id, taken_at: marked_at };
      }
    }
  },
  store: ({ names, rows }) => `
    insert into roll_call (gen, ${names}) select $1, ${names} from ${rows}
    on conflict (org_id, gen, lesson_id) do update set taken_at = excluded.taken_at
      where excluded.taken_at < roll_call.taken_at`,
});
