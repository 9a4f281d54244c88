import type { seriesCalls, SeriesInput } from '@teaching/contracts';
import { type Handler, newId, type Session } from '@teaching/kit';
import { requireManager, requireOpen } from '../record/access.rules.ts';
import { hasStudentClash, scheduleConflict, toConflicts } from '../record/conflict.rules.ts';
import type { ConflictRow } from '../record/conflict.shape.ts';
import { shownLessons } from '../record/lesson-rows.ts';
import { findClazz, lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import type { LessonRow } from '../record/record.tables.ts';
import { requireListedTeacher } from '../record/require-listed-people.ts';
import { findTooSmallRoomOf, requireRoomCapacity, requireListedRoom } from '../record/check-rooms.ts';
import { newLesson } from './create-lesson.ts';
import { findConflicts, findOccupied } from './find-conflicts.ts';
import { holidaysInForce } from './holiday-list.ts';
import { type ClazzDefaults, checkOverride } from './lesson.rules.ts';
import { type Occurrences, occurrencesOf } from './occurrences.rules.ts';
import { saveLessons } from './save-lessons.ts';
import { SERIES } from './schedule.tables.ts';

interface SeriesPlan {
  lessons: LessonRow[];
  skipped: Occurrences['skipped'];
  /** The clashes of each lesson, by its index in `lessons`. */
  conflicts: Map<number, ConflictRow[]>;
}

/** The lessons of a requested series with all their clashes, found by one statement. */
const planSeries = async (
  session: Session,
  it: ClazzDefaults & { id: string },
  body: SeriesInput,
  series_id: string | null,
): Promise<SeriesPlan> => {
  const { slots, skipped } = occurrencesOf(body, await holidaysInForce(session));
  const lessons = slots.map((slot) => newLesson(session, it, { ...body, ...slot }, series_id));
  const rows = await findConflicts(session, it.id, lessons);
  return { lessons, skipped, conflicts: Map.groupBy(rows, (row) => row.n - 1) };
};

export const previewLessonSeries: Handler<typeof seriesCalls.previewLessonSeries> = async ({ path, body }, session) => {
  const it = await findClazz(session, path.id);
  requireManager(session.access, it);
  requireOpen(it);
  const room = await requireListedRoom(session, body.room);
  const { lessons, skipped, conflicts } = await planSeries(session, it, { ...body, room }, null);
  const [too_small, occupied] = await Promise.all([
    findTooSmallRoomOf(session, lessons),
    findOccupied(session, lessons),
  ]);
  const occurrences = lessons.map(({ starts_at, ends_at }, index) => ({
    starts_at,
    ends_at,
    conflicts: toConflicts(conflicts.get(index) ?? []),
  }));
  return { occurrences, skipped, too_small, taken_rooms: occupied.rooms };
};

const storeRule = (session: Session, clazz_id: string, id: string, body: SeriesInput): void => {
  const { starts_on, start_time, duration_minutes, zone, rrule, until = null, count = null } = body;
  const rule = { starts_on, start_time, duration_minutes, zone, rrule, until, count };
  const { org_id, now } = session;
  session.insert(SERIES, { org_id, id, clazz_id, ...rule, created_at: now.toISOString() });
};

/** Schedules a series: all lessons or none, unless clashing lessons may be skipped or kept. */
export const createLessonSeries: Handler<typeof seriesCalls.createLessonSeries> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const override = checkOverride(session.caller, body);
  const series_id = newId();
  const teacher_id = body.teacher_id ?? it.lead_teacher_id;
  await requireListedTeacher(session, teacher_id, '/body/teacher_id');
  await lockSchedule(session, { teachers: [teacher_id], rooms: [body.room ?? null], clazz_ids: [it.id] });
  const room = await requireListedRoom(session, body.room);
  const { lessons, skipped, conflicts } = await planSeries(session, it, { ...body, room }, series_id);
  const planned = lessons.map((lesson, index) => ({ ...lesson, override: conflicts.has(index) }));
  const rows = [...conflicts.values()].flat();
  // An override keeps clashes of teachers and rooms. Lessons with a student's clash may only be skipped.
  const isOverridden = (index: number): boolean => override && !hasStudentClash(conflicts.get(index) ?? []);
  const accepted = planned.filter((lesson, index) => !lesson.override || isOverridden(index));
  const refuse = body.skip_conflicts === true ? accepted.length === 0 : accepted.length < lessons.length;
  if (refuse) throw scheduleConflict(rows);
  storeRule(session, it.id, series_id, body);
  const changes = accepted.map((after) => ({ before: null, after }));
  await saveLessons(session, it.id, changes, body.reason ?? null);
  await requireRoomCapacity(session, accepted);
  return { series_id, items: await shownLessons(session, it, accepted), skipped };
};
