import { isDeepStrictEqual } from 'node:util';
import { type Lesson, LessonFields, type LessonPatch, Problem } from '@teaching/contracts';
import { checkTimes, type ClazzDefaults, clazzDefaults } from './lesson.rules.ts';
import { moveOf, type NominalTime, placedAt, shiftedStart } from './nominal-time.rules.ts';
import { overlappingSlots } from './occurrences.rules.ts';

type Times = Pick<Lesson, 'starts_at' | 'ends_at'>;

/** Applies the fields that are set on every lesson, without the times. Null resets a field to its default. */
const applyPatch = <L extends Lesson>(it: L, patch: LessonPatch, clazz: ClazzDefaults): L => ({
  ...it,
  ...LessonFields.applyPatch(it, patch, clazzDefaults(clazz)),
  starts_at: it.starts_at,
  ends_at: it.ends_at,
});

const lengthOf = ({ starts_at, ends_at }: Times): number => Date.parse(ends_at) - Date.parse(starts_at);
const endAfter = (starts_at: string, length: number): string => new Date(Date.parse(starts_at) + length).toISOString();

/** The new time of the edited lesson. A new start alone keeps its length. */
const newTimes = (it: Times, { starts_at = it.starts_at, ends_at }: LessonPatch): Times => ({
  starts_at,
  ends_at: ends_at ?? endAfter(starts_at, lengthOf(it)),
});

const isMoved = (before: Times, after: Times): boolean =>
  before.starts_at !== after.starts_at || before.ends_at !== after.ends_at;

const requireEditable = (before: Lesson, after: Lesson): void => {
  if (before.status === 'cancelled') throw new Problem('invalid_transition', 'A cancelled lesson cannot be changed');
  if (before.status === 'held' && isMoved(before, after)) {
    throw new Problem('invalid_transition', 'A lesson that was held cannot be moved');
  }
};

export interface LessonEdit<L> {
  before: L;
  after: L;
  /** Whether the time changes, so that teacher, room and students have to be free. */
  moved: boolean;
}

/**
 * Applies an edit to a lesson and to others of its series.
 * The nominal local times of the others are moved as that of the lesson is, so a series keeps its local time across a
 * clock change. Each lesson keeps its length, or changes it as much as the lesson does. The result contains changed
 * lessons only.
 */
export const editLessons = <L extends Lesson & NominalTime>(
  it: L,
  { others, series_time }: { others: readonly L[]; series_time: string | null },
  patch: LessonPatch,
  clazz: ClazzDefaults,
  now: Date,
): LessonEdit<L>[] => {
  const first = placedAt(it, { ...applyPatch(it, patch, clazz), ...newTimes(it, patch) }, series_time);
  requireEditable(it, first);
  const move = moveOf(it, first, series_time);
  const longer = lengthOf(first) - lengthOf(it);
  const rest = others.map((other) => {
    const start = shiftedStart(other, applyPatch(other, patch, clazz), move, series_time);
    return { ...start, ends_at: endAfter(start.starts_at, lengthOf(other) + longer) };
  });
  const after = [first, ...rest];
  after.forEach(checkTimes);
  if (isMoved(it, first) && overlappingSlots(after).length > 0) {
    throw new Problem('invalid_request', {
      errors: [{ path: '/body/ends_at', message: 'makes lessons of the series overlap' }],
    });
  }
  const nextState = (next: L): L => ({ ...next, version: next.version + 1, updated_at: now.toISOString() });
  return [it, ...others].flatMap((before, index): LessonEdit<L>[] => {
    const next = after[index];
    if (next === undefined || isDeepStrictEqual(before, next)) return [];
    return [{ before, after: nextState(next), moved: isMoved(before, next) }];
  });
};

/**
 * The edits with rooms as the list of rooms spells them (`names`, by text), where the room or the time changes. Without
 * edits that then change nothing.
 */
export const withListedRooms = <L extends Lesson>(
  edits: readonly LessonEdit<L>[],
  names: ReadonlyMap<string, string>,
): LessonEdit<L>[] =>
  edits.flatMap((edit): LessonEdit<L>[] => {
    const { before, after, moved } = edit;
    if (after.room === null || (!moved && after.room === before.room)) return [edit];
    const next = { ...after, room: names.get(after.room) ?? after.room };
    const { version, updated_at } = before;
    return isDeepStrictEqual(before, { ...next, version, updated_at }) ? [] : [{ ...edit, after: next }];
  });
