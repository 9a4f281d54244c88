import type { seriesCalls, SeriesInput } from '@teaching/contracts';
import { type Handler, newId, type Session } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { requireListedTeacher } from '../record/require-listed.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { hasStudents, scheduleConflict } from '../record/conflict.rules.ts';
import { shownLessons } from '../record/shown-lessons.ts';
import { requireLargeRooms, requireListed } from '../room/check-rooms.ts';
import { mayOverride } from './lesson.rules.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { planSeries } from './plan-series.ts';
import { saveLessons } from './save-lessons.ts';
import { SERIES } from './series.table.ts';

const storeRule = (session: Session, clazz_id: string, id: string, body: SeriesInput): void => {
  const { starts_on, start_time, duration_minutes, zone, rrule, until = null, count = null } = body;
  const rule = { starts_on, start_time, duration_minutes, zone, rrule, until, count };
  const { org_id, now } = session;
  session.insert(SERIES, { org_id, id, clazz_id, ...rule, created_at: now.toISOString() });
};

/** Schedules a series: all of it or nothing, unless clashing lessons may be left out or kept. */
export const createLessonSeries: Handler<typeof seriesCalls.createLessonSeries> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const override = mayOverride(session.caller, body);
  await requireListed(session, body.room);
  const series_id = newId();
  const teacher_id = body.teacher_id ?? it.lead_teacher_id;
  await Promise.all([
    requireListedTeacher(session, teacher_id, '/body/teacher_id'),
    lockSchedule(session, { teachers: [teacher_id], rooms: [body.room ?? null], clazz_ids: [it.id] }),
  ]);
  const { lessons, skipped, conflicts } = await planSeries(session, it, body, series_id);
  const planned = lessons.map((lesson, index) => ({ ...lesson, override: conflicts.has(index) }));
  const rows = [...conflicts.values()].flat();
  // Without students' clashes a series may be kept as it is; lessons that students cannot go to may be left out.
  const isKept = (index: number): boolean => override && !hasStudents(conflicts.get(index) ?? []);
  const left = planned.filter((lesson, index) => !lesson.override || isKept(index));
  const refuse = body.skip_conflicts === true ? left.length === 0 : left.length < lessons.length;
  if (refuse) throw scheduleConflict(rows);
  storeRule(session, it.id, series_id, body);
  const changes = left.map((after) => ({ before: null, after }));
  await saveLessons(session, it.id, changes, body.reason ?? null);
  await requireLargeRooms(session, left);
  return { series_id, items: await shownLessons(session, it, left), skipped };
};
