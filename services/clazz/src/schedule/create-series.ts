import type { seriesCalls, SeriesInput } from '@teaching/contracts';
import { type Handler, newId, type Session, statement } from '@teaching/kit';
import { requireOpen } from '../clazz/clazz.rules.ts';
import { lockOwnClazz } from '../clazz/load-clazz.ts';
import { scheduleConflict } from './conflict.rules.ts';
import { mayOverride } from './lesson.rules.ts';
import { lockSchedule } from './lock-schedule.ts';
import { saveLessons } from './save-lessons.ts';
import { planSeries } from './plan-series.ts';

const STORE = statement(
  `insert into series (org_id, id, clazz_id, starts_on, start_time, duration_minutes, zone, rrule, until, count, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);

const store = (session: Session, clazz_id: string, id: string, body: SeriesInput): void => {
  const { starts_on, start_time, duration_minutes, zone, rrule, until, count } = body;
  const rule = [starts_on, start_time, duration_minutes, zone, rrule, until ?? null, count ?? null];
  session.run(STORE, session.org_id, id, clazz_id, ...rule, session.now);
};

/** Schedules a series: all of it or nothing, unless clashing lessons may be left out or kept. */
export const createSeries: Handler<typeof seriesCalls.create> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const override = mayOverride(session.caller, body);
  const series_id = newId();
  const teachers = [body.teacher_id ?? it.lead_teacher_id];
  await lockSchedule(session, { teachers, rooms: [body.room ?? null], clazz_ids: [it.id] });
  const { lessons, skipped, conflicts } = await planSeries(session, it, body, series_id);
  const left = override ? lessons : lessons.filter((_, index) => !conflicts.has(index));
  const refuse = body.skip_conflicts === true ? left.length === 0 : left.length < lessons.length;
  if (refuse) throw scheduleConflict([...conflicts.values()].flat());
  store(session, it.id, series_id, body);
  const clashing = new Set([...conflicts.keys()].map((index) => lessons[index]?.id));
  await saveLessons(
    session,
    it.id,
    left.map((after) => ({ before: null, after, override: clashing.has(after.id) })),
    body.reason ?? null,
  );
  return { series_id, items: left, skipped };
};
