import { isDeepStrictEqual } from 'node:util';
import { type Clazz, clazzCalls, ClazzFields, Problem } from '@teaching/contracts';
import { type Handler, twoStepHandler, type Session, nextVersion } from '@teaching/kit';
import { updateStaffPeriods } from '../people/staff-periods.ts';
import { requireOpen } from '../record/access.rules.ts';
import { scheduleConflict } from '../record/conflict.rules.ts';
import { recordFreedPlaces } from '../record/freed-places.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { shownClazz } from '../record/member-names.ts';
import { takenSeats } from '../record/occupancy.ts';
import { requireListedPeople, requireListedTeacher } from '../record/require-listed-people.ts';
import { findConflicts } from '../schedule/find-conflicts.ts';
import { saveLessons } from '../schedule/save-lessons.ts';
import { checkAssistants, checkDays, requireHandOver } from './clazz.rules.ts';
import { requireClazzReferences } from './create-clazz.ts';
import { futureLessons } from './end-clazz.ts';
import { saveClazz } from './save-clazz.ts';

/**
 * 409 `capacity_below_enrolled` when more seats are taken, by students or by guests of one lesson, than the new
 * capacity.
 */
const requireSeats = async (session: Session, clazz_id: string, capacity: number): Promise<void> => {
  const taken = await takenSeats(session, clazz_id, session.now.toISOString());
  if (taken > capacity) {
    throw new Problem('capacity_below_enrolled', { detail: `${taken} seats are taken`, members: { taken } });
  }
};

/**
 * Gives all lessons of the former lead teacher that have not begun to the new lead teacher.
 * 409 `schedule_conflict` with the clashes when the new lead teacher has another lesson at the time of one of them.
 * Lessons of other teachers stay as they are.
 */
const handOverLessons = async (session: Session, before: Clazz, after: Clazz): Promise<void> => {
  const teacher_id = after.lead_teacher_id;
  const lessons = (await futureLessons(session, before.id)).filter((row) => row.teacher_id === before.lead_teacher_id);
  if (lessons.length === 0) return;
  const wanted = lessons.map(({ id, starts_at, ends_at }) => ({ id, starts_at, ends_at, teacher_id, room: null }));
  await lockSchedule(session, { teachers: [teacher_id] });
  const ignoring = lessons.map((row) => row.id);
  const clashes = await findConflicts(session, before.id, wanted, { ignoring, students: false });
  if (clashes.length > 0) throw scheduleConflict(clashes);
  const changes = lessons.map((row) => ({ before: row, after: nextVersion({ ...row, teacher_id }, session) }));
  await saveLessons(session, before.id, changes, 'the class has another lead teacher');
};

export const updateClazz = twoStepHandler(clazzCalls.updateClazz, {
  prepare: ({ body }, session) => requireClazzReferences(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockOwnClazz(session, path.id);
    session.checkVersion(it.version);
    requireOpen(it);
    const next = ClazzFields.applyPatch(it, body, {});
    checkDays(next);
    const hasNewLead = next.lead_teacher_id !== it.lead_teacher_id;
    if (hasNewLead) requireHandOver(session.caller);
    if (hasNewLead) await requireListedTeacher(session, next.lead_teacher_id, '/body/lead_teacher_id');
    const hasNewCapacity = next.capacity !== it.capacity;
    if (next.capacity !== null && hasNewCapacity) await requireSeats(session, it.id, next.capacity);
    const assistant_ids = it.assistant_ids.filter((id) => id !== next.lead_teacher_id);
    const wanted = { ...it, ...next, assistant_ids };
    if (isDeepStrictEqual(wanted, it)) return shownClazz(session, it);
    const answer = saveClazz(session, it, wanted, 'updated');
    await updateStaffPeriods(session, it, answer);
    if (hasNewLead && body.lessons !== 'keep') await handOverLessons(session, it, answer);
    if (hasNewCapacity) recordFreedPlaces(session, { clazz_ids: [it.id] });
    return shownClazz(session, answer);
  },
});

/** Replaces the list of assistants. The same list again changes nothing. */
export const putClazzAssistants: Handler<typeof clazzCalls.putClazzAssistants> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  session.checkVersion(it.version);
  requireOpen(it);
  checkAssistants(it.lead_teacher_id, body.teacher_ids);
  if (isDeepStrictEqual(it.assistant_ids, body.teacher_ids)) return shownClazz(session, it);
  const joining = body.teacher_ids.flatMap((user_id, index) =>
    it.assistant_ids.includes(user_id)
      ? []
      : [{ user_id, role: 'TEACHER' as const, path: `/body/teacher_ids/${index}` }],
  );
  await requireListedPeople(session, joining);
  const answer = saveClazz(session, it, { ...it, assistant_ids: body.teacher_ids }, 'updated');
  await updateStaffPeriods(session, it, answer);
  return shownClazz(session, answer);
};
