import { type lessonCalls, LessonFields, type LessonInput } from '@teaching/contracts';
import { type Handler, newRecord, type Session } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { requireNoClash } from '../record/conflict.rules.ts';
import { shownLesson } from '../record/lesson-rows.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import type { LessonRow } from '../record/record.tables.ts';
import { requireListedTeacher } from '../record/require-listed-people.ts';
import { requireRoomCapacity, requireListedRoom } from '../record/check-rooms.ts';
import { findConflicts } from './find-conflicts.ts';
import { type ClazzDefaults, checkOverride, clazzDefaults } from './lesson.rules.ts';
import { saveLessons } from './save-lessons.ts';

/** A new scheduled lesson. Omitted fields come from the class. */
export const newLesson = (
  session: Session,
  it: ClazzDefaults & { id: string },
  fields: LessonInput,
  series_id: string | null = null,
): LessonRow => ({
  ...newRecord(session),
  ...LessonFields.withDefaults(fields, clazzDefaults(it)),
  clazz_id: it.id,
  series_id,
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  reason_public: false,
  override: false,
  held_at: null,
  nominal_start: null,
  second_occurrence: false,
  booked: false,
});

export const createLesson: Handler<typeof lessonCalls.createLesson> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const override = checkOverride(session.caller, body);
  const wanted = newLesson(session, it, body);
  const involved = { teachers: [wanted.teacher_id], rooms: [wanted.room], clazz_ids: [it.id] };
  await requireListedTeacher(session, wanted.teacher_id, '/body/teacher_id');
  // Under the lock of the room's schedule no room gets another name.
  const [, room] = await Promise.all([lockSchedule(session, involved), requireListedRoom(session, wanted.room)]);
  const lesson = { ...wanted, room };
  const clashes = await findConflicts(session, it.id, [lesson]);
  requireNoClash(clashes, override);
  const after = { ...lesson, override: clashes.length > 0 };
  await saveLessons(session, it.id, [{ before: null, after }], body.reason ?? null);
  await requireRoomCapacity(session, [after]);
  return shownLesson(session, it, after);
};
