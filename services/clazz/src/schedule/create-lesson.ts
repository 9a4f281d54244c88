import type { Clazz, Lesson, lessonCalls } from '@teaching/contracts';
import { type Handler, newId, type Session } from '@teaching/kit';
import { requireOpen } from '../clazz/clazz.rules.ts';
import { lockOwnClazz } from '../clazz/load-clazz.ts';
import { scheduleConflict } from './conflict.rules.ts';
import { findConflicts } from './find-conflicts.ts';
import { checkTimes, mayOverride } from './lesson.rules.ts';
import { lockSchedule } from './lock-schedule.ts';
import { saveLessons } from './save-lessons.ts';

type Fields = Pick<Lesson, 'starts_at' | 'ends_at'> & {
  zone?: string | null | undefined;
  hours?: string | null | undefined;
  teacher_id?: string | null | undefined;
  room?: string | null | undefined;
};

const ONE_HOUR = '1.00';

/** A new scheduled lesson; what the request leaves out comes from the class. */
export const newLesson = (
  session: Session,
  it: Pick<Clazz, 'id' | 'lead_teacher_id' | 'zone'>,
  fields: Fields,
  series_id: string | null = null,
): Lesson => ({
  id: newId(),
  org_id: session.org_id,
  clazz_id: it.id,
  series_id,
  teacher_id: fields.teacher_id ?? it.lead_teacher_id,
  room: fields.room ?? null,
  starts_at: fields.starts_at,
  ends_at: fields.ends_at,
  zone: fields.zone ?? it.zone,
  hours: fields.hours ?? ONE_HOUR,
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  version: 1,
  created_at: session.now.toISOString(),
  updated_at: session.now.toISOString(),
});

export const createLesson: Handler<typeof lessonCalls.create> = async ({ path, body }, session) => {
  checkTimes(body);
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const override = mayOverride(session.caller, body);
  const lesson = newLesson(session, it, body);
  const involved = { teachers: [lesson.teacher_id], rooms: [lesson.room], clazz_ids: [it.id] };
  const [, clashes] = await Promise.all([lockSchedule(session, involved), findConflicts(session, it.id, [lesson])]);
  if (clashes.length > 0 && !override) throw scheduleConflict(clashes);
  await saveLessons(
    session,
    it.id,
    [{ before: null, after: lesson, override: clashes.length > 0 }],
    body.reason ?? null,
  );
  return lesson;
};
