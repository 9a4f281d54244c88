import { type Session, statement } from '@teaching/kit';
import { LESSON } from '../record/lesson.table.ts';
import { hasStudents, toConflicts } from '../record/conflict.rules.ts';
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

/** Brings lessons back that completing a class cancelled, except those now in the past or clashing, which it names. */
export const restoreLessons = async (session: Session, clazz_id: string, reason: string) => {
  const lessons = await session.query(CANCELLED, session.org_id, clazz_id);
  const now = session.now.toISOString();
  const future = lessons.filter((row) => row.starts_at > now);
  await lockSchedule(session, {
    teachers: future.map((row) => row.teacher_id),
    rooms: future.map((row) => row.room),
    clazz_ids: [clazz_id],
  });
  // What was an exception before stays one; what others made an exception of does not stand in the way.
  const clashes = (await findConflicts(session, clazz_id, future)).filter((row) => !row.override);
  const byLesson = Map.groupBy(clashes, (row) => row.n - 1);
  const clear = future.filter((row, index) => {
    const rows = byLesson.get(index) ?? [];
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
    return [{ lesson_id, starts_at, ends_at, why, conflicts: toConflicts(byLesson.get(at) ?? []) }];
  });
  return { restored_lessons: clear.map((row) => row.id), not_restored };
};
