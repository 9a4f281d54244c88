import { type Received, statement } from '@teaching/kit';
import { type DirtyClazzes, refreshClazzFigures } from './clazz-figures.ts';
import { fold } from './fold.ts';
import type { Folded } from './records.ts';
import {
  type LessonChange,
  storeClazzes,
  storeEnrolments,
  storeEntries,
  storeLeaves,
  storeLessons,
  storeLots,
  storeMarkings,
  storeMarks,
  storeMembers,
  storeRollCalls,
} from './store-records.ts';
import { type DirtyStudents, refreshStudentFigures } from './student-figures.ts';
import type { Tx } from './tx.ts';

/**
 * One writer at a time: the live projector, or a step of a rebuild. Its statements go from what changed to
 * the rows beside it by index; the planner, which before the first ANALYZE takes every table for small,
 * would rather read a whole generation and join that.
 */
const TAKE_TURNS = statement(`
  select pg_advisory_xact_lock(hashtextextended('stats projector', 0)), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_material', 'off', true), set_config('enable_memoize', 'off', true)`);
const GENERATIONS = statement<{ gen: number }>(
  "select gen from generation where state in ('current', 'building') order by gen",
);

export const takeTurns = (tx: Tx): void => tx.run(TAKE_TURNS);

const ifAny = <R, T>(rows: R[], store: (rows: R[]) => Promise<T[]>): Promise<T[]> =>
  rows.length === 0 ? Promise.resolve([]) : store(rows);

/** The instants at which a changed lesson counted before and counts now. */
const momentsOf = (change: LessonChange): DirtyClazzes['moments'] => {
  const { org_id, clazz_id, teacher_id, starts_at: at } = change;
  const { old_clazz_id, old_teacher_id, old_starts_at } = change;
  const now = { org_id, clazz_id, at, teacher_id };
  if (old_clazz_id === null || old_teacher_id === null || old_starts_at === null) return [now];
  return [now, { org_id, clazz_id: old_clazz_id, at: old_starts_at, teacher_id: old_teacher_id }];
};

const isOut = (status: string | null): boolean => status === 'cancelled' || status === 'deleted';

/** Where the marks of a changed lesson counted before and count now; nothing when they stay as they were. */
const movesOf = (change: LessonChange): DirtyStudents['moved'] => {
  const { org_id, id: lesson_id, clazz_id, starts_at, old_clazz_id, old_starts_at } = change;
  if (old_clazz_id === null || old_starts_at === null) return [];
  const stays = clazz_id === old_clazz_id && starts_at === old_starts_at;
  if (stays && isOut(change.status) === isOut(change.old_status)) return [];
  return [
    { org_id, lesson_id, at: starts_at, clazz_id },
    { org_id, lesson_id, at: old_starts_at, clazz_id: old_clazz_id },
  ];
};

/** Stores the states and computes the figures that depend on them, in one generation. */
export const projectInto = async (tx: Tx, gen: number, folded: Folded): Promise<void> => {
  if (folded.clazzes.length > 0) storeClazzes(tx, gen, folded.clazzes);
  if (folded.members.length > 0) storeMembers(tx, gen, folded.members);
  if (folded.leaves.length > 0) storeLeaves(tx, gen, folded.leaves);
  if (folded.entries.length > 0) storeEntries(tx, gen, folded.entries);
  if (folded.lots.length > 0) storeLots(tx, gen, folded.lots);
  if (folded.markings.length > 0) storeMarkings(tx, gen, folded.markings);
  const [lessons, marks, rollCalls, enrolments] = await Promise.all([
    ifAny(folded.lessons, (rows) => storeLessons(tx, gen, rows)),
    ifAny(folded.marks, (rows) => storeMarks(tx, gen, rows)),
    ifAny(folded.roll_calls, (rows) => storeRollCalls(tx, gen, rows)),
    ifAny(folded.enrolments, (rows) => storeEnrolments(tx, gen, rows)),
  ]);
  refreshStudentFigures(tx, gen, { marks, moved: lessons.flatMap(movesOf) });
  const touched = new Map([...marks, ...rollCalls].map((row) => [`${row.org_id} ${row.lesson_id}`, row]));
  refreshClazzFigures(tx, gen, {
    moments: lessons.flatMap(momentsOf),
    lessons: [...touched.values()],
    enrolments,
  });
};

/** The live projector: every generation that counts or will count learns of the batch. */
export const project = async (events: readonly Received[], tx: Tx): Promise<void> => {
  const folded = fold(events);
  takeTurns(tx);
  const generations = await tx.query(GENERATIONS);
  for (const { gen } of generations) await projectInto(tx, gen, folded);
};
