import { type Clazz, type Input, type lessonCalls, notFound } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { requireManager, requireOpen } from '../record/access.rules.ts';
import { toConflicts } from '../record/conflict.rules.ts';
import type { ConflictRow } from '../record/conflict.shape.ts';
import { findClazz } from '../record/load-clazz.ts';
import type { LessonRow } from '../record/record.tables.ts';
import { findTooSmallRoomOf, listedNames, spelledRoom } from '../record/check-rooms.ts';
import { newLesson } from './create-lesson.ts';
import { editLessons, type LessonEdit, withListedRooms } from './edit.rules.ts';
import { findEditConflicts, findConflicts, findOccupied } from './find-conflicts.ts';
import { findFreeTeachersFor } from './free-teachers.ts';
import { bestTimes, type TimeSlot, alternativeTimes } from './free-times.rules.ts';
import { holidaysInForce } from './holiday-list.ts';
import { holidayOf, type Holidays } from './holiday.rules.ts';
import { readLessons } from './load-lesson.ts';

type Body = Input<typeof lessonCalls.checkLesson>['body'];

const MAX_TEACHERS = 10;

interface Plan {
  /** The planned lesson, and the planned others of its series, each as it would be stored. */
  lesson: LessonRow;
  others: LessonRow[];
  /** Those of them whose time or room changes. */
  placed: LessonRow[];
  /** The clashes that creating or changing it would find. */
  rows: ConflictRow[];
  /** Further clashes of teachers and rooms, which the lessons have now and keep. */
  keptRows: ConflictRow[];
}

/** The clashes of planned lessons that the change does not check, because teacher, room and time stay. */
const findKeptClashes = async (
  session: Session,
  clazz_id: string,
  planned: readonly LessonRow[],
  edits: readonly LessonEdit<LessonRow>[],
  rows: readonly ConflictRow[],
): Promise<ConflictRow[]> => {
  const found = await findConflicts(session, clazz_id, planned, {
    ignoring: planned.map(({ id }) => id),
    students: false,
  });
  const keyOf = (id: string | undefined, { lesson_id, teacher_id, room }: ConflictRow): string =>
    JSON.stringify([id, lesson_id, teacher_id, room]);
  const checked = new Set(rows.map((row) => keyOf(edits[row.n - 1]?.before.id, row)));
  return found.filter((row) => !checked.has(keyOf(planned[row.n - 1]?.id, row)));
};

const plannedLessons = async (session: Session, clazz: Clazz, { lesson_id, scope, ...wanted }: Body): Promise<Plan> => {
  if (lesson_id == null) {
    const planned = newLesson(session, clazz, wanted);
    const lesson = { ...planned, room: await spelledRoom(session, planned.room) };
    const rows = await findConflicts(session, clazz.id, [lesson]);
    return { lesson, others: [], placed: [lesson], rows, keptRows: [] };
  }
  const { it, ...series } = await readLessons(session, lesson_id, scope);
  if (it.clazz_id !== clazz.id) throw notFound('Lesson');
  const drafts = editLessons(it, series, wanted, clazz, session.now);
  const names = await listedNames(
    session,
    drafts.map(({ after }) => after.room),
  );
  const edits = withListedRooms(drafts, names);
  const edited = new Map(edits.map(({ before, after }) => [before.id, after]));
  const lesson = edited.get(it.id) ?? it;
  const others = series.others.map((other) => edited.get(other.id) ?? other);
  const placed = edits.filter(({ before, after, moved }) => moved || before.room !== after.room);
  const rows = await findEditConflicts(session, clazz.id, edits);
  const keptRows = await findKeptClashes(session, clazz.id, [lesson, ...others], edits, rows);
  return { lesson, others, placed: placed.map(({ after }) => after), rows, keptRows };
};

/** The next times without a clash. All are checked by one statement. */
const freeTimes = async (session: Session, lesson: LessonRow, holidays: Holidays): Promise<TimeSlot[]> => {
  const times = alternativeTimes(lesson, lesson.zone, holidays);
  const wanted = [...times.sameDay, ...times.otherDays].map((time) => ({ ...lesson, ...time }));
  const rows = await findConflicts(session, lesson.clazz_id, wanted, { ignoring: [lesson.id] });
  const taken = new Set(rows.map((row) => row.n - 1));
  return bestTimes(times, (index) => !taken.has(index));
};

/** Teachers who are free at the times of all lessons. `occupied` are teachers of other lessons then. */
const freeTeachers = async (session: Session, lesson: LessonRow, occupied: ReadonlySet<string>) => {
  const found = await findFreeTeachersFor(session, lesson, MAX_TEACHERS + occupied.size);
  return found.filter(({ teacher_id }) => !occupied.has(teacher_id)).slice(0, MAX_TEACHERS);
};

/** The obstacles of a lesson and the alternatives. It stores and locks nothing. */
export const checkLesson: Handler<typeof lessonCalls.checkLesson> = async ({ path, body }, session) => {
  const clazz = await findClazz(session, path.id);
  requireManager(session.access, clazz);
  requireOpen(clazz);
  const { lesson, others, placed, rows, keptRows } = await plannedLessons(session, clazz, body);
  const lessons = [lesson, ...others];
  const [too_small, holidays, occupied] = await Promise.all([
    findTooSmallRoomOf(session, placed),
    holidaysInForce(session),
    findOccupied(session, lessons),
  ]);
  const [free_teachers, free_times] = await Promise.all([
    rows.some((row) => row.teacher_id !== null) ? freeTeachers(session, lesson, occupied.teachers) : [],
    rows.length === 0 || others.length > 0 ? [] : freeTimes(session, lesson, holidays),
  ]);
  return {
    conflicts: toConflicts(rows),
    accepted: toConflicts(keptRows),
    too_small,
    holiday: lessons.flatMap((one) => holidayOf(one, holidays) ?? [])[0] ?? null,
    taken_rooms: occupied.rooms,
    free_teachers,
    free_times,
  };
};
