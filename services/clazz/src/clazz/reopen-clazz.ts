import type { clazzCalls, Enrolment, Output } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { restoreBookings } from '../attendance/restore-bookings.ts';
import { audit } from '../audit/record-audit.ts';
import { WIRE_ENROLMENT } from '../people/people.tables.ts';
import { saveEnrolments } from '../people/save-enrolments.ts';
import { hasStudentClash, toConflicts } from '../record/conflict.rules.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { shownClazz } from '../record/member-names.ts';
import { LESSON, type LessonRow } from '../record/record.tables.ts';
import { listedTeachers } from '../record/require-listed-people.ts';
import { findTooSmallRooms } from '../record/check-rooms.ts';
import { findConflicts, findStudentConflicts } from '../schedule/find-conflicts.ts';
import { restoredLesson } from '../schedule/lesson.rules.ts';
import { saveLessons } from '../schedule/save-lessons.ts';
import { requireTransition } from './clazz.rules.ts';
import { COMPLETION } from './completion.table.ts';
import { saveClazz } from './save-clazz.ts';

const ENDED = statement(
  `select ${WIRE_ENROLMENT.columns} from enrolment where org_id = $1 and id = any($2::uuid[]) order by seq`,
  WIRE_ENROLMENT.shape,
);

interface RestoredEnrolments {
  /** When the class was completed. */
  at: string;
  /** Students with another lesson at the time of a lesson of the class that was not cancelled. */
  busy: Output<typeof clazzCalls.reopenClazz>['not_restored'];
}

const busyStudents = async (
  session: Session,
  clazz_id: string,
  restored: readonly Enrolment[],
  since: string,
  reason: string,
): Promise<RestoredEnrolments['busy']> => {
  const enrolmentOf = new Map(restored.map(({ student_id, id }) => [student_id, id]));
  const students = [...enrolmentOf.keys()];
  await lockSchedule(session, { students });
  const clashes = await findStudentConflicts(session, clazz_id, students, since);
  return [...Map.groupBy(clashes, (row) => row.student_id)].flatMap(([student_id, rows]) => {
    const [first] = rows;
    const entity_id = enrolmentOf.get(student_id ?? '');
    if (student_id === null || first === undefined || entity_id === undefined) return [];
    const changes = { not_restored: { before: null, after: 'schedule_conflict' } };
    const about = [student_id];
    audit(session, clazz_id, [{ action: 'update', entity: 'enrolment', entity_id, changes, about }], reason);
    const { student_name, lesson_id, starts_at, ends_at } = first;
    const why = { why: 'clash' as const, reason: 'schedule_conflict', conflicts: toConflicts(rows) };
    return [{ student_id, student_name, lesson_id, starts_at, ends_at, ...why }];
  });
};

/** Restores the status that enrolments had before the class was completed. Students with a clash are not restored. */
const restoreEnrolments = async (session: Session, clazz_id: string, reason: string): Promise<RestoredEnrolments> => {
  const completion = await session.find(COMPLETION, clazz_id);
  if (completion === undefined) return { at: session.now.toISOString(), busy: [] };
  const status = new Map(completion.enrolments.map((row) => [row.id, row.status]));
  const rows = await session.query(ENDED, session.org_id, [...status.keys()]);
  const wanted = rows.map((before) => ({
    before,
    after: { ...before, status: status.get(before.id) ?? before.status, until: null },
  }));
  const restored = wanted.map(({ after }) => after).filter(({ status: its }) => its === 'active');
  const busy = await busyStudents(session, clazz_id, restored, completion.at, reason);
  const busyIds = new Set(busy.map((row) => row.student_id));
  const changes = wanted.filter(({ after }) => !busyIds.has(after.student_id));
  await saveEnrolments(session, clazz_id, changes, { reason, closed_at: completion.at });
  return { at: completion.at, busy };
};

const CANCELLED = statement(
  `select ${LESSON.columns} from lesson
   where org_id = $1 and status = 'cancelled'
     and id in (select unnest(lesson_ids) from completion where org_id = $1 and clazz_id = $2) order by starts_at, id`,
  LESSON.shape,
);

/** The lessons that completing the class cancelled, and those of their teachers who are still listed. */
interface CancelledLessons {
  lessons: LessonRow[];
  teachers: ReadonlySet<string>;
}

/** Reads the cancelled lessons. Call it right after locking the class, since people are locked before all else. */
const readCancelledLessons = async (session: Session, clazz_id: string): Promise<CancelledLessons> => {
  const lessons = await session.query(CANCELLED, session.org_id, clazz_id);
  const teachers = lessons.map((row) => row.teacher_id);
  return { lessons, teachers: await listedTeachers(session, teachers) };
};

/** For each lesson that may not be restored for a reason other than a clash: the problem code, by lesson id. */
const restoreRefusals = async (session: Session, lessons: readonly LessonRow[], teachers: ReadonlySet<string>) => {
  const small = await findTooSmallRooms(session, lessons);
  return new Map([
    ...small.map(({ id }) => [id, 'room_too_small'] as const),
    ...lessons.flatMap((row) => (teachers.has(row.teacher_id) ? [] : [[row.id, 'not_found'] as const])),
  ]);
};

/**
 * Restores the lessons that completing the class cancelled. Call it after its students are restored.
 * The answer names the lessons that are not restored: they are in the past, they clash, their teacher is no longer
 * listed, or their room is too small.
 */
const restoreLessons = async (
  session: Session,
  clazz_id: string,
  { lessons, teachers }: CancelledLessons,
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
    restoreRefusals(session, future, teachers),
  ]);
  // Clashes with a lesson that is itself an override do not count. A restored lesson that was an override stays one.
  const clashes = found.filter((row) => !row.override);
  const byLesson = Map.groupBy(clashes, (row) => row.n - 1);
  const clear = future.filter((row, index) => {
    const rows = byLesson.get(index) ?? [];
    if (refused.has(row.id)) return false;
    return row.override ? !hasStudentClash(rows) : rows.length === 0;
  });
  const changes = clear.map((before) => ({ before, after: restoredLesson(before, session.now) }));
  await saveLessons(session, clazz_id, changes, reason);
  const restored = new Set(clear.map((row) => row.id));
  const not_restored = lessons.flatMap((row) => {
    if (restored.has(row.id)) return [];
    const at = future.indexOf(row);
    const why = at < 0 ? ('past' as const) : ('clash' as const);
    const { id: lesson_id, starts_at, ends_at } = row;
    const conflicts = toConflicts(byLesson.get(at) ?? []);
    const code = refused.get(row.id);
    return [{ lesson_id, starts_at, ends_at, why, conflicts, ...(code === undefined ? {} : { reason: code }) }];
  });
  return { restored_lessons: clear.map((row) => row.id), not_restored };
};

/** The field `why`, which is older than `reason` and has only these two values. */
const whyOf = (reason: string): 'past' | 'clash' => (reason === 'invalid_transition' ? 'past' : 'clash');

/**
 * completed → active. Restores exactly the records that completing ended or cancelled, except lessons that have begun.
 */
export const reopenClazz: Handler<typeof clazzCalls.reopenClazz> = async ({ path, body }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireTransition(it.status, 'reopen');
  const cancelled = await readCancelledLessons(session, it.id);
  const answer = saveClazz(session, it, { ...it, status: 'active', completed_at: null }, 'reopened', body.reason);
  const { at, busy } = await restoreEnrolments(session, it.id, body.reason);
  const { restored_lessons, not_restored } = await restoreLessons(session, it.id, cancelled, body.reason);
  const bookings = await restoreBookings(session, it.id, at, { reason: body.reason });
  const bookingsNotRestored = bookings.map((row) => ({ ...row, why: whyOf(row.reason), conflicts: [] }));
  return {
    ...(await shownClazz(session, answer)),
    restored_lessons,
    not_restored: [...not_restored, ...busy, ...bookingsNotRestored],
  };
};
