import { clazzEvents, LESSON_STATUSES } from '@teaching/contracts';
import {
  notNull,
  bigint,
  eventsOf,
  hundredths,
  instant,
  nullableColumns,
  p,
  type ReceivedEvent,
  sequenceOf,
  table,
} from '@teaching/kit';
import { type Explanation, explanation, type Subject } from './explanation.ts';
import { projection } from './projection.ts';
import { ROLL_CALL, rollCallEvents } from './roll-call.ts';
import { columnsOf, type SelectedColumns, type ExplanationSource } from './source.ts';

/** Lessons in their last state. A deleted lesson stays, so that a late older event cannot restore it. */
const LESSON = table('lesson', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  teacher_id: p.text(),
  starts_at: instant(),
  ends_at: instant(),
  hours: hundredths(),
  status: p.enum([...LESSON_STATUSES, 'deleted']),
  version: p.integer(),
  seq: bigint(),
});

const EPOCH = '1970-01-01T00:00:00.000Z';
/** Fields of a deleted lesson for which no other event has arrived. */
const DELETED = {
  teacher_id: '-',
  starts_at: EPOCH,
  ends_at: EPOCH,
  hours: '0.00',
  status: 'deleted',
  version: 0,
} as const;

function* states(batch: readonly ReceivedEvent[]) {
  for (const event of eventsOf(batch, clazzEvents.lessonChanged)) {
    const common = { org_id: event.orgid, seq: sequenceOf(event) };
    for (const lesson of event.data.lessons) yield { ...lesson, ...common };
  }
  for (const { lesson, org_id, seq } of rollCallEvents(batch)) yield { ...lesson, org_id, seq };
  for (const event of eventsOf(batch, clazzEvents.lessonDeleted)) {
    const { clazz_id, lesson_ids } = event.data;
    const common = { ...DELETED, org_id: event.orgid, clazz_id, seq: sequenceOf(event) };
    for (const id of lesson_ids) yield { ...common, id };
  }
}

const isOut = (lesson: string): string => `${lesson}.status in ('cancelled', 'deleted')`;

export const lessons = projection(LESSON, {
  mergeRule: { highest: 'seq' },
  states,
  // Returns the class, time and teacher of a changed lesson, new and old: both have figures to compute again.
  store: (upsert) => `
    with stored as (
      ${upsert}
      returning new.org_id, new.id, new.clazz_id, new.starts_at, new.teacher_id, ${isOut('new')} as is_out,
        old.clazz_id as old_clazz_id, old.starts_at as old_at, old.teacher_id as old_teacher_id, ${isOut('old')} as was_out
    )
    select org_id, id, clazz_id, starts_at as at, teacher_id,
      old_at is not null and (clazz_id, starts_at, is_out) is distinct from (old_clazz_id, old_at, was_out) as moved
    from stored
    union all
    select org_id, id, old_clazz_id, old_at, old_teacher_id, false from stored where old_at is not null`,
  shape: {
    org_id: notNull(p.uuid()),
    id: notNull(p.uuid()),
    clazz_id: notNull(p.uuid()),
    at: notNull(instant()),
    teacher_id: notNull(p.text()),
    moved: notNull(p.boolean()),
  },
  touched: (_states, changed) => ({
    moments: [...changed],
    moved: changed.filter(({ moved }) => moved).map(({ org_id, id }) => ({ org_id, lesson_id: id })),
  }),
});

const l = columnsOf('l', LESSON);

export const lessonsOfClazzJoin = (alias: string): string =>
  `l.org_id = ${alias}.org_id and l.gen = ${alias}.gen and l.clazz_id = ${alias}.clazz_id`;
export const IS_COUNTED = "l.status in ('scheduled', 'held')";
export const IS_HELD = "l.status = 'held'";
const IN_TIME = "r.taken_at <= l.ends_at + interval '24 hours'";
const { taken_at } = ROLL_CALL.shape;

/** Columns of a lesson `l` in an explanation. */
export const LESSON_COLUMNS = {
  at: l('starts_at'),
  clazz_id: l('clazz_id'),
  lesson_id: l('id'),
  teacher_id: l('teacher_id'),
} as const satisfies SelectedColumns;

/** The lessons `l` of a subject. They are found by the figures of a teacher, by the class, or by time. */
export const lessonsOf = (
  subject: Subject,
): Required<Pick<ExplanationSource, 'from' | 'at' | 'clazz' | 'org'>> & Pick<ExplanationSource, 'subject'> => {
  const common = { at: 'l.starts_at', clazz: 'l.clazz_id', org: 'l' };
  if (subject === 'teacher') {
    const from = `clazz_figure as f join lesson as l on ${lessonsOfClazzJoin('f')} and l.starts_at = f.at and l.teacher_id = f.teacher_id`;
    return { ...common, from, at: 'f.at', subject: 'f.teacher_id' };
  }
  if (subject === 'clazz') return { ...common, from: 'lesson as l', subject: 'l.clazz_id' };
  // `hours >= 0` is true for every lesson. It is the condition of the partial index by time, which only this query may
  // use. Without the condition, searches by key on tables not yet analyzed would use that index: 100 roll calls took 4
  // s, not 50 ms.
  return { ...common, from: '(select * from lesson where hours >= 0) as l' };
};

const lessonRows = (subject: Subject, where: readonly string[], more: SelectedColumns = {}): ExplanationSource => {
  const { from, ...rest } = lessonsOf(subject);
  return {
    ...rest,
    from: `${from} left join roll_call as r on r.org_id = l.org_id and r.gen = l.gen and r.lesson_id = l.id`,
    select: {
      ...LESSON_COLUMNS,
      source: ["'lesson'", notNull(p.text().$type<'lesson'>())],
      id: ['l.id::text', notNull(p.text())],
      state: l('status'),
      done_at: ['r.taken_at', nullableColumns({ taken_at }).taken_at],
      revision: l('version'),
      ...more,
    },
    where,
    sort: { by: rest.at, type: 'timestamptz', id: 'l.id', idType: 'uuid' },
  };
};

/** Explanations by lessons, for all subjects except students: the lessons of a student are explained by seats. */
export const lessonExplanations: readonly Explanation[] = (['teacher', 'clazz', 'org'] as const).flatMap((subject) => [
  explanation('scheduled', subject, lessonRows(subject, [IS_COUNTED])),
  explanation('held', subject, lessonRows(subject, [IS_HELD])),
  explanation('lessons_taught', subject, lessonRows(subject, [IS_HELD])),
  explanation('roll_calls', subject, lessonRows(subject, [IS_HELD])),
  explanation(
    'roll_calls_in_time',
    subject,
    lessonRows(subject, [IS_HELD, IN_TIME], { done_at: ['r.taken_at', taken_at] }),
  ),
  explanation('hours_taught', subject, lessonRows(subject, [IS_HELD], { counts: l('hours') })),
]);
