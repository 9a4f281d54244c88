import { type Session, statement } from '@teaching/kit';
import { LESSON, type LessonRow } from '../record/lesson.table.ts';
import { hasStudents, toConflicts } from '../record/conflict.rules.ts';
import { listedTeachers } from '../record/require-listed.ts';
import { tooSmallRooms } from '../room/check-rooms.ts';
import { findConflicts } from '../schedule/find-conflicts.ts';
import { restored } from '../schedule/lesson.rules.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { saveLessons } from '../schedule/save-lessons.ts';

const CANCELLED = statement(
  `select ${LESSON.columns} from lesson
   where org_id = $1 and status = 'cancelled'
     and id in (select unnest(lesson_ids) from completion where org_id = $1 and clazz_id = $2) order by starts_at, id`,
  LESSON.shape,
);

/** What completing a class cancelled, and who of its teachers may still be named. */
export interface Cancelled {
  lessons: LessonRow[];
  teachers: ReadonlySet<string>;
}

/** Read right after the lock of the class: people are held before what else is locked. */
export const cancelledWith = async (session: Session, clazz_id: string): Promise<Cancelled> => {
  const lessons = await session.query(CANCELLED, session.org_id, clazz_id);
  const teachers = lessons.map((row) => row.teacher_id);
  return { lessons, teachers: await listedTeachers(session, teachers) };
};

/** The problem code of what keeps lessons from coming back though nobody has to be elsewhere, by lesson. */
const refusedOf = async (session: Session, lessons: readonly LessonRow[], teachers: ReadonlySet<string>) => {
  const small = await tooSmallRooms(session, lessons);
  return new Map([
    ...small.map(({ id }) => [id, 'room_too_small'] as const),
    ...lessons.flatMap((row) => (teachers.has(row.teacher_id) ? [] : [[row.id, 'not_found'] as const])),
  ]);
};

/**
 * Brings lessons back that completing a class cancelled, once its students are back. It names those that lie in the past
 * by now, clash, or could not be made anew: the teacher is not listed any more, the room is too small.
 */
export const restoreLessons = async (
  session: Session,
  clazz_id: string,
  { lessons, teachers }: Cancelled,
  reason: string,
) => {
  const now = session.now.toISOString();
  const future = lessons.filter((row) => row.starts_at > now);
  await lockSchedule(session, {
    teachers: future.map((row) => row.teacher_id),
    rooms: future.map((row) => row.room),
    clazz_ids: [clazz_id],
  });
  const [found, refused] = await Promise.all([
    findConflicts(session, clazz_id, future),
    refusedOf(session, future, teachers),
  ]);
  // What was an exception before stays one; what others made an exception of does not stand in the way.
  const clashes = found.filter((row) => !row.override);
  const byLesson = Map.groupBy(clashes, (row) => row.n - 1);
  const clear = future.filter((row, index) => {
    const rows = byLesson.get(index) ?? [];
    if (refused.has(row.id)) return false;
    return row.override ? !hasStudents(rows) : rows.length === 0;
  });
  const changes = clear.map((before) => ({ before, after: restored(before, session.now) }));
  await saveLessons(session, clazz_id, changes, reason);
  const back = new Set(clear.map((row) => row.id));
  const not_restored = lessons.flatMap((row) => {
    if (back.has(row.id)) return [];
    const at = future.indexOf(row);
    const why = at < 0 ? ('past' as const) : ('clash' as const);
    const { id: lesson_id, starts_at, ends_at } = row;
    const conflicts = toConflicts(byLesson.get(at) ?? []);
    const code = refused.get(row.id);
    return [{ lesson_id, starts_at, ends_at, why, conflicts, ...(code === undefined ? {} : { reason: code }) }];
  });
  return { restored_lessons: clear.map((row) => row.id), not_restored };
};
