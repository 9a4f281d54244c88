import { type Received, type Statement, statement, type Store } from '@teaching/kit';
import { type DirtyClazzes, refreshClazzFigures } from './clazz-figures.ts';
import type { RecordKind } from './record-kind.ts';
import { clazzes } from './records/clazz.ts';
import { enrolments } from './records/enrolment.ts';
import { accounts, entries, entriesAlone, lots } from './records/hours.ts';
import { leaves } from './records/leave.ts';
import { type LessonChange, lessons } from './records/lesson.ts';
import { markedLessons, marks, moveMarks, rollCalls } from './records/mark.ts';
import { markings } from './records/marking.ts';
import { members } from './records/member.ts';

/** Records whose change asks for nothing more, in the order they are stored: lessons before their marks, entries before accounts. */
const ALONE: readonly RecordKind<unknown>[] = [
  marks,
  rollCalls,
  clazzes,
  members,
  leaves,
  entriesAlone,
  entries,
  accounts,
  lots,
  markings,
];

/**
 * Its statements go from what changed to the rows beside it by index; the planner, which before the first ANALYZE
 * takes every table for small, would rather read a whole generation and join that.
 */
const GO_BY_INDEX = statement(`
  select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_seqscan', 'off', true), set_config('enable_material', 'off', true),
    set_config('enable_memoize', 'off', true)`);

/** The instants at which a changed lesson counted before and counts now. */
const momentsOf = (change: LessonChange): DirtyClazzes['moments'] => {
  const { org_id, clazz_id, teacher_id, starts_at: at } = change;
  const { old_clazz_id, old_teacher_id, old_starts_at } = change;
  const now = { org_id, clazz_id, at, teacher_id };
  if (old_clazz_id === null || old_teacher_id === null || old_starts_at === null) return [now];
  return [now, { org_id, clazz_id: old_clazz_id, at: old_starts_at, teacher_id: old_teacher_id }];
};

const isOut = (status: string): boolean => status === 'cancelled' || status === 'deleted';

/** Whether the marks of a changed lesson count elsewhere, or no more, or again. */
const hasMoved = (change: LessonChange): boolean => {
  const { clazz_id, starts_at, status, old_clazz_id, old_starts_at, old_status } = change;
  if (old_status === null) return false;
  return clazz_id !== old_clazz_id || starts_at !== old_starts_at || isOut(status) !== isOut(old_status);
};

/** Brings a batch of events down to the last state of each record. The order of the batch does not matter. */
export const project = (batch: readonly Received[]): Store => {
  const [lessonParams, enrolmentParams] = [lessons.read(batch), enrolments.read(batch)];
  const alone = ALONE.map((kind) => ({ store: kind.store, params: kind.read(batch) }));
  const marked = markedLessons(batch);
  return async (tx, gen) => {
    tx.run(GO_BY_INDEX);
    const stored = <C>(store: Statement<C>, params: unknown[] | undefined): Promise<C[]> =>
      params === undefined ? Promise.resolve([]) : tx.query(store, gen, ...params);
    const changing = [stored(lessons.store, lessonParams), stored(enrolments.store, enrolmentParams)] as const;
    for (const { store, params } of alone) if (params !== undefined) tx.run(store, gen, ...params);
    const [changed, enrolled] = await Promise.all(changing);
    moveMarks(tx, gen, changed.filter(hasMoved));
    refreshClazzFigures(tx, gen, { moments: changed.flatMap(momentsOf), lessons: marked, enrolments: enrolled });
  };
};
