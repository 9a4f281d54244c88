import type { Session } from '@teaching/kit';
import { audit, changesOf } from '../audit/record-audit.ts';
import { cascadeLessonChanges } from '../cascade/cascade-lessons.ts';
import { addExpectedStudents, replaceExpectedStudents } from '../record/expected-students.ts';
import { recordFreedPlaces } from '../record/freed-places.ts';
import { publishLessonEvents } from '../record/lesson-rows.ts';
import { LESSON, type LessonRow, toLesson } from '../record/record.tables.ts';

/** `before` is null for a new lesson. */
export interface LessonChange {
  before: LessonRow | null;
  after: LessonRow;
}
type Changed = LessonChange & { before: LessonRow };

const auditLessons = (
  session: Session,
  clazz_id: string,
  changes: readonly LessonChange[],
  reason: string | null,
): void => {
  const entries = changes.map(({ before, after }) => ({
    action: before === null ? ('create' as const) : ('update' as const),
    entity: 'lesson' as const,
    entity_id: after.id,
    about: [after.teacher_id],
    changes: changesOf(before && toLesson(before), toLesson(after)),
  }));
  audit(session, clazz_id, entries, reason);
};

const isNew = (change: LessonChange): boolean => change.before === null;
const isChanged = (change: LessonChange): change is Changed => change.before !== null;

/** Whether the change concerns students: another time or status does; another room, teacher or override does not. */
const concernsStudents = ({ before, after }: Changed): boolean =>
  before.starts_at !== after.starts_at || before.ends_at !== after.ends_at || before.status !== after.status;

const rowsOf = (changes: readonly LessonChange[]): LessonRow[] => changes.map(({ after }) => after);
const idsOf = (changes: readonly LessonChange[]): string[] => changes.map(({ after }) => after.id);

/**
 * Stores changed lessons of one class as sets, with all consequences: expected students, events, audit entries and the
 * cascade.
 * The class must be locked, and clashes must be checked.
 */
export const saveLessons = async (
  session: Session,
  clazz_id: string,
  changes: readonly LessonChange[],
  reason: string | null = null,
): Promise<void> => {
  if (changes.length === 0) return;
  const created = changes.filter(isNew);
  const changed = changes.filter(isChanged);
  session.insert(LESSON, ...rowsOf(created));
  session.update(LESSON, ...rowsOf(changed));
  const moved = changed.filter(concernsStudents);
  if (created.length > 0) addExpectedStudents(session, clazz_id, idsOf(created));
  if (moved.length > 0) replaceExpectedStudents(session, idsOf(moved));
  const hasNewRoom = changed.some(({ before, after }) => before.room !== null && before.room !== after.room);
  recordFreedPlaces(session, { lesson_ids: idsOf(moved), clazz_ids: hasNewRoom ? [clazz_id] : [] });
  session.publishOnCommit(publishLessonEvents, rowsOf(changes).map(toLesson));
  auditLessons(session, clazz_id, changes, reason);
  if (changed.length > 0) await cascadeLessonChanges(session, changed, reason);
};
