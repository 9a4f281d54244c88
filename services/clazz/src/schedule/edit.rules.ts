import { isDeepStrictEqual } from 'node:util';
import { shiftLocally } from '@teaching/kit';
import { type Lesson, LessonFields, type LessonPatch, Problem } from '@teaching/contracts';
import { checkTimes, type ClazzDefaults, clazzDefaults } from './lesson.rules.ts';
import { overlappingSlots } from './occurrences.rules.ts';

type Times = Pick<Lesson, 'starts_at' | 'ends_at'>;

/** Applies the fields that are set on every lesson. Null resets a field to its default. */
const applyPatch = <L extends Lesson>(it: L, patch: LessonPatch, clazz: ClazzDefaults): L => ({
  ...it,
  ...LessonFields.applyPatch(it, patch, clazzDefaults(clazz)),
});

/** The new time of the edited lesson. A new start alone keeps its length. */
const newTimes = (it: Times, { starts_at = it.starts_at, ends_at }: LessonPatch): Times => {
  const length = Date.parse(it.ends_at) - Date.parse(it.starts_at);
  return { starts_at, ends_at: ends_at ?? endAfter(it, starts_at, length) };
};
const endAfter = (it: Times, starts_at: string, length: number): string =>
  starts_at === it.starts_at ? it.ends_at : new Date(Date.parse(starts_at) + length).toISOString();

const isMoved = (before: Times, after: Times): boolean =>
  before.starts_at !== after.starts_at || before.ends_at !== after.ends_at;

const requireEditable = (before: Lesson, after: Lesson): void => {
  if (before.status === 'cancelled') throw new Problem('invalid_transition', 'A cancelled lesson cannot be changed');
  if (before.status === 'held' && isMoved(before, after)) {
    throw new Problem('invalid_transition', 'A lesson that was held cannot be moved');
  }
};

export interface LessonEdit<L extends Lesson> {
  before: L;
  after: L;
  /** Whether the time changes, so that teacher, room and students have to be free. */
  moved: boolean;
}

/**
 * Applies an edit to a lesson and to others of its series.
 * The others are shifted by the same difference in local time, so a series keeps its local time across a clock change.
 * The result contains changed lessons only.
 */
export const editLessons = <L extends Lesson>(
  it: L,
  others: readonly L[],
  patch: LessonPatch,
  clazz: ClazzDefaults,
  now: Date,
): LessonEdit<L>[] => {
  const first = { ...applyPatch(it, patch, clazz), ...newTimes(it, patch) };
  requireEditable(it, first);
  const rest = others.map((other) => ({
    ...applyPatch(other, patch, clazz),
    starts_at: shiftLocally(other.starts_at, it.starts_at, first.starts_at, it.zone),
    ends_at: shiftLocally(other.ends_at, it.ends_at, first.ends_at, it.zone),
  }));
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
