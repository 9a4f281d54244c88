import { isSameName, type Session, statement } from '@teaching/kit';
import { requireNoClash } from '../record/conflict.rules.ts';
import { CONFLICT, withConflictNames } from '../record/conflict.shape.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { CLAZZ, LESSON, type LessonRow } from '../record/record.tables.ts';
import { saveLessons } from '../schedule/save-lessons.ts';

const NAMED = LESSON.pick('room');
const TEXTS = statement(
  `select distinct ${NAMED.columns} from lesson
   where org_id = $1 and room is not null and starts_at > $2::timestamptz - interval '24 hours' and ends_at > $2`,
  NAMED.shape,
);

const LOCKED = CLAZZ.pick('id');
const LOCK_CLAZZES = statement(
  `select ${LOCKED.columns} from clazz
   where org_id = $1 and id = any(array(
     select clazz_id from lesson where org_id = $1 and room = any($2::text[]) and ends_at > $3))
   order by id for update`,
  LOCKED.shape,
);

/** The name of a room before and after a change. Without a name before, the room is new. */
export interface NewName {
  from: string | null;
  to: string;
}

/**
 * Locks the classes of the lessons that a room has or gets by its name, and the schedule of the room, until the
 * transaction ends. Meanwhile no seat is taken at these lessons, and no lesson gets such a room. Returns the texts of
 * these lessons: the old name, and every spelling of the new one.
 */
export const lockLessonsOfRoom = async (session: Session, { from, to }: NewName): Promise<string[]> => {
  const lockClazzes = async (): Promise<string[]> => {
    const rows = await session.query(TEXTS, session.org_id, session.now);
    const names = rows.map(({ room }) => room).filter((room) => room !== null);
    const texts = names.filter((text) => text === from || isSameName(text, to));
    await session.query(LOCK_CLAZZES, session.org_id, texts, session.now);
    return texts;
  };
  await lockClazzes();
  await lockSchedule(session, { rooms: [from, to] });
  // Another class may have got a lesson there before the schedule was locked.
  return lockClazzes();
};

const LOCK_LESSONS = statement(
  `select ${LESSON.columns} from lesson
   where org_id = $1 and room = any($2::text[]) and room <> $3 and ends_at > $4 order by starts_at, id for update`,
  LESSON.shape,
);

/**
 * Lessons that are not yet in the room and overlap a lesson with another of these texts. Most often there is no other
 * text, so they come first.
 */
const CLASHES = statement(
  withConflictNames(`select 0 as n, w.id as lesson_id, w.clazz_id, w.starts_at, w.ends_at, null as teacher_id, w.room,
     null as student_id, w.override
   from lesson w
   where w.org_id = $1 and w.room = any($2::text[]) and w.room is distinct from $3 and w.ends_at > $4
     and w.status <> 'cancelled' and exists (
     select from lesson it
     where it.org_id = $1 and it.room = any($2::text[]) and it.room <> w.room and it.ends_at > $4
       and it.status <> 'cancelled' and it.starts_at < w.ends_at and it.ends_at > w.starts_at
       and it.starts_at > w.starts_at - interval '24 hours')`),
  CONFLICT,
);

/**
 * Gives lessons with these texts that have not ended the name of the room. The room and the lessons are locked. Returns
 * the ids of those that were in the room before. 409 `schedule_conflict` when they overlap each other.
 */
export const renameRoomInLessons = async (
  session: Session,
  texts: readonly string[],
  { from, to }: NewName,
): Promise<string[]> => {
  const lessons = await session.query(LOCK_LESSONS, session.org_id, texts, to, session.now);
  requireNoClash(await session.query(CLASHES, session.org_id, texts, from, session.now), false);
  const renamed = (before: LessonRow): LessonRow => ({
    ...before,
    room: to,
    version: before.version + 1,
    // The time of a cancellation, with which a restored lesson finds the bookings that ended with it.
    updated_at: before.status === 'cancelled' ? before.updated_at : session.now.toISOString(),
  });
  const reason = `the room was ${from === null ? 'created' : 'renamed'}`;
  for (const [clazz_id, ofClazz] of Map.groupBy(lessons, (lesson) => lesson.clazz_id)) {
    const changes = ofClazz.map((before) => ({ before, after: renamed(before) }));
    await saveLessons(session, clazz_id, changes, reason);
  }
  return lessons.filter(({ room }) => room === from).map(({ id }) => id);
};
