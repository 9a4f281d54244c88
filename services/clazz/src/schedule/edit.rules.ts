import { shiftLocally } from '@teaching/kit';
import { type Clazz, type Lesson, Problem } from '@teaching/contracts';
import { overlapping } from './occurrences.rules.ts';
import { checkTimes } from './lesson.rules.ts';

export interface Edit {
  starts_at?: string | undefined;
  ends_at?: string | undefined;
  zone?: string | null | undefined;
  hours?: string | null | undefined;
  teacher_id?: string | null | undefined;
  room?: string | null | undefined;
}

type Host = Pick<Clazz, 'lead_teacher_id' | 'zone'>;

const ONE_HOUR = '1.00';

const or = <T>(wanted: T | null | undefined, current: T, standard: T): T =>
  wanted === undefined ? current : (wanted ?? standard);

/** Fields that are set alike on every lesson; `null` goes back to the default. */
const sameForAll = (it: Lesson, edit: Edit, host: Host): Lesson => ({
  ...it,
  zone: or(edit.zone, it.zone, host.zone),
  hours: or(edit.hours, it.hours, ONE_HOUR),
  teacher_id: or(edit.teacher_id, it.teacher_id, host.lead_teacher_id),
  room: or<string | null>(edit.room, it.room, null),
});

/** The edited lesson itself; a new start alone moves it, keeping its length. */
const moved = (it: Lesson, { starts_at = it.starts_at, ends_at }: Edit): Pick<Lesson, 'starts_at' | 'ends_at'> => {
  const length = Date.parse(it.ends_at) - Date.parse(it.starts_at);
  return { starts_at, ends_at: ends_at ?? endAfter(it, starts_at, length) };
};
const endAfter = (it: Lesson, starts_at: string, length: number): string =>
  starts_at === it.starts_at ? it.ends_at : new Date(Date.parse(starts_at) + length).toISOString();

const isMoved = (before: Lesson, after: Lesson): boolean =>
  before.starts_at !== after.starts_at || before.ends_at !== after.ends_at;
const isChanged = (before: Lesson, after: Lesson): boolean =>
  isMoved(before, after) ||
  before.zone !== after.zone ||
  before.hours !== after.hours ||
  before.teacher_id !== after.teacher_id ||
  before.room !== after.room;

const requireEditable = (before: Lesson, after: Lesson): void => {
  if (before.status === 'cancelled') throw new Problem('invalid_transition', 'A cancelled lesson cannot be changed');
  if (before.status === 'held' && isMoved(before, after)) {
    throw new Problem('invalid_transition', 'A lesson that was held cannot be moved');
  }
};

export interface LessonEdit {
  before: Lesson;
  after: Lesson;
  /** The time is another: everything about it has to be free. */
  moved: boolean;
}

/**
 * Applies an edit to a lesson and with it to others of its series: those are shifted by the same difference
 * on the wall clock, so a series keeps its local time across a change of clocks. Only what changes is listed.
 */
export const editLessons = (it: Lesson, others: readonly Lesson[], edit: Edit, host: Host, now: Date): LessonEdit[] => {
  const first = { ...sameForAll(it, edit, host), ...moved(it, edit) };
  requireEditable(it, first);
  const rest = others.map((other) => ({
    ...sameForAll(other, edit, host),
    starts_at: shiftLocally(other.starts_at, it.starts_at, first.starts_at, it.zone),
    ends_at: shiftLocally(other.ends_at, it.ends_at, first.ends_at, it.zone),
  }));
  const after = [first, ...rest];
  after.forEach(checkTimes);
  if (isMoved(it, first) && overlapping(after).length > 0) {
    throw new Problem('invalid_request', {
      errors: [{ path: '/body/ends_at', message: 'makes lessons of the series overlap' }],
    });
  }
  const stamp = (next: Lesson): Lesson => ({ ...next, version: next.version + 1, updated_at: now.toISOString() });
  return [it, ...others].flatMap((before, index): LessonEdit[] => {
    const next = after[index];
    if (next === undefined || !isChanged(before, next)) return [];
    return [{ before, after: stamp(next), moved: isMoved(before, next) }];
  });
};
