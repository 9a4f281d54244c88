import { type Session, statement } from '@teaching/kit';
import { requireNoClash } from '../record/conflict.rules.ts';
import { CONFLICT, withConflictNames } from '../record/conflict.shape.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { CLAZZ, LESSON, type LessonRow } from '../record/record.tables.ts';
import { saveLessons } from '../schedule/save-lessons.ts';

const LOCKED = CLAZZ.pick('id');
const LOCK_CLAZZES = statement(
  `select ${LOCKED.columns} from clazz
   where org_id = $1 and id = any(array(
     select clazz_id from lesson where org_id = $1 and room = any($2::text[]) and ends_at > $3))
   order by id for update`,
  LOCKED.shape,
);

/**
 * Locks the classes that have lessons in rooms of these names, and the schedule of these rooms, until the transaction
 * ends. Meanwhile no seat is taken at these lessons, and no lesson gets such a room.
 */
export const lockLessonsOfRoom = async (session: Session, names: readonly string[]): Promise<void> => {
  const lockClazzes = () => session.query(LOCK_CLAZZES, session.org_id, names, session.now);
  await lockClazzes();
  await lockSchedule(session, { rooms: names });
  // Another class may have got a lesson there before the schedule was locked.
  await lockClazzes();
};

const LOCK_LESSONS = statement(
  `select ${LESSON.columns} from lesson
   where org_id = $1 and room = $2 and ends_at > $3 order by starts_at, id for update`,
  LESSON.shape,
);

/** Lessons with the new name that overlap lessons of the room. Most often none has the new name, so they come first. */
const CLASHES = statement(
  withConflictNames(`select 0 as n, w.id as lesson_id, w.clazz_id, w.starts_at, w.ends_at, null as teacher_id, w.room,
     null as student_id, w.override
   from lesson w
   where w.org_id = $1 and w.room = $3 and w.ends_at > $4 and w.status <> 'cancelled' and exists (
     select from lesson it
     where it.org_id = $1 and it.room = $2 and it.ends_at > $4 and it.status <> 'cancelled'
       and it.starts_at < w.ends_at and it.ends_at > w.starts_at and it.starts_at > w.starts_at - interval '24 hours')`),
  CONFLICT,
);

/**
 * Renames a room in its lessons that have not ended. The room and its lessons are locked. Returns the ids of the lessons.
 * 409 `schedule_conflict` when they overlap lessons that already have the new name.
 */
export const renameRoomInLessons = async (session: Session, from: string, to: string): Promise<string[]> => {
  const lessons = await session.query(LOCK_LESSONS, session.org_id, from, session.now);
  requireNoClash(await session.query(CLASHES, session.org_id, from, to, session.now), false);
  const renamed = (before: LessonRow): LessonRow => ({
    ...before,
    room: to,
    version: before.version + 1,
    // The time of a cancellation, with which a restored lesson finds the bookings that ended with it.
    updated_at: before.status === 'cancelled' ? before.updated_at : session.now.toISOString(),
  });
  for (const [clazz_id, ofClazz] of Map.groupBy(lessons, (lesson) => lesson.clazz_id)) {
    const changes = ofClazz.map((before) => ({ before, after: renamed(before) }));
    await saveLessons(session, clazz_id, changes, 'the room was renamed');
  }
  return lessons.map(({ id }) => id);
};
