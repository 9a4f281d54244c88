import { type Clazz, type Input, type lessonCalls, notFound } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { requireManager, requireOpen } from '../record/access.rules.ts';
import { toConflicts } from '../record/conflict.rules.ts';
import type { ConflictRow } from '../record/conflict.shape.ts';
import { findClazz } from '../record/load-clazz.ts';
import type { LessonRow } from '../record/record.tables.ts';
import { findTooSmallRoomOf, listedNames, spelledRoom } from '../record/check-rooms.ts';
import { newLesson } from './create-lesson.ts';
import { editLessons, withListedRooms } from './edit.rules.ts';
import { findEditConflicts, findConflicts } from './find-conflicts.ts';
import { findFreeTeachersFor } from './free-teachers.ts';
import { bestTimes, type TimeSlot, alternativeTimes } from './free-times.rules.ts';
import { holidaysInForce } from './holiday-list.ts';
import { holidayOf, type Holidays } from './holiday.rules.ts';
import { readLessons } from './load-lesson.ts';

type Body = Input<typeof lessonCalls.checkLesson>['body'];

const MAX_TEACHERS = 10;

/** The planned lesson and its clashes: the same that creating or changing it would find. */
const plannedLesson = async (
  session: Session,
  clazz: Clazz,
  { lesson_id, scope, ...wanted }: Body,
): Promise<{ lesson: LessonRow; rows: ConflictRow[]; ignoring: string[] }> => {
  if (lesson_id == null) {
    const planned = newLesson(session, clazz, wanted);
    const lesson = { ...planned, room: await spelledRoom(session, planned.room) };
    return { lesson, rows: await findConflicts(session, clazz.id, [lesson]), ignoring: [] };
  }
  const { it, ...series } = await readLessons(session, lesson_id, scope);
  if (it.clazz_id !== clazz.id) throw notFound('Lesson');
  const drafts = editLessons(it, series, wanted, clazz, session.now);
  const names = await listedNames(
    session,
    drafts.map(({ after }) => after.room),
  );
  const edits = withListedRooms(drafts, names);
  const lesson = edits.find(({ before }) => before.id === it.id)?.after ?? it;
  return { lesson, rows: await findEditConflicts(session, clazz.id, edits), ignoring: [it.id] };
};

/** The next times without a clash. All are checked by one statement. */
const freeTimes = async (
  session: Session,
  lesson: LessonRow,
  ignoring: readonly string[],
  holidays: Holidays,
): Promise<TimeSlot[]> => {
  const times = alternativeTimes(lesson, lesson.zone, holidays);
  const wanted = [...times.sameDay, ...times.otherDays].map((time) => ({ ...lesson, ...time }));
  const rows = await findConflicts(session, lesson.clazz_id, wanted, { ignoring });
  const taken = new Set(rows.map((row) => row.n - 1));
  return bestTimes(times, (index) => !taken.has(index));
};

/** The obstacles of a lesson and the alternatives. It stores and locks nothing. */
export const checkLesson: Handler<typeof lessonCalls.checkLesson> = async ({ path, body }, session) => {
  const clazz = await findClazz(session, path.id);
  requireManager(session.access, clazz);
  requireOpen(clazz);
  const { lesson, rows, ignoring } = await plannedLesson(session, clazz, body);
  const [too_small, holidays] = await Promise.all([findTooSmallRoomOf(session, lesson), holidaysInForce(session)]);
  const [free_teachers, free_times] = await Promise.all([
    rows.some((row) => row.teacher_id !== null) ? findFreeTeachersFor(session, lesson, MAX_TEACHERS) : [],
    rows.length === 0 ? [] : freeTimes(session, lesson, ignoring, holidays),
  ]);
  const holiday = holidayOf(lesson, holidays) ?? null;
  return { conflicts: toConflicts(rows), too_small, holiday, free_teachers, free_times };
};
