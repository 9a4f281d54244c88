import { type Received, type Statement, statement, type Store, TryAgain } from '@teaching/kit';
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
import type { Tx } from './tx.ts';

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
/** The position is stored with it, so what a crash takes from the end is read again: no need to wait for the disk. */
const COMMIT_WITHOUT_WAITING = statement("select set_config('synchronous_commit', 'off', true)");

export const takeTurns = (tx: Tx): void => tx.run(TAKE_TURNS);

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

/** Stores states in one generation, with the figures that depend on them. */
export type StoreInto = (tx: Tx, gen: number) => Promise<void>;

/** Brings a batch of events down to the last state of each record. The order of the batch does not matter. */
export const readBatch = (batch: readonly Received[]): StoreInto => {
  const [lessonParams, enrolmentParams] = [lessons.read(batch), enrolments.read(batch)];
  const alone = ALONE.map((kind) => ({ store: kind.store, params: kind.read(batch) }));
  const marked = markedLessons(batch);
  return async (tx, gen) => {
    const stored = <C>(store: Statement<C>, params: unknown[] | undefined): Promise<C[]> =>
      params === undefined ? Promise.resolve([]) : tx.query(store, gen, ...params);
    const changing = [stored(lessons.store, lessonParams), stored(enrolments.store, enrolmentParams)] as const;
    for (const { store, params } of alone) if (params !== undefined) tx.run(store, gen, ...params);
    const [changed, enrolled] = await Promise.all(changing);
    moveMarks(tx, gen, changed.filter(hasMoved));
    refreshClazzFigures(tx, gen, { moments: changed.flatMap(momentsOf), lessons: marked, enrolments: enrolled });
  };
};

/** The generations that the last batch went into; they change with a rebuild only. */
let expected: readonly number[] = [1];

/**
 * The live projector: every generation that counts or will count learns of the batch. It does not wait to
 * hear which these are: the database has all it needs at once, and once more should they be others.
 */
export const project = (events: readonly Received[]): Store => {
  const storeInto = readBatch(events);
  return async (tx) => {
    takeTurns(tx);
    tx.run(COMMIT_WITHOUT_WAITING);
    const [found] = await Promise.all([tx.query(GENERATIONS), ...expected.map((gen) => storeInto(tx, gen))]);
    const generations = found.map(({ gen }) => gen);
    if (generations.join() === expected.join()) return;
    expected = generations;
    throw new TryAgain();
  };
};
