import { type Clazz, type Input, Problem, type seriesCalls } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { requireEditWindow } from '../cascade/edit-window.rules.ts';
import { policyInForce } from '../policy/policy.ts';
import { MANAGERS_ONLY, requireOpen, relatedPeopleOf } from '../record/access.rules.ts';
import { requireNoClash } from '../record/conflict.rules.ts';
import { shownLesson } from '../record/lesson-rows.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { findOverfullLessons } from '../record/occupancy.ts';
import type { LessonRow } from '../record/record.tables.ts';
import { requireListedTeacher } from '../record/require-listed-people.ts';
import { listedNames, requireRoomCapacity, requireListedRoom } from '../record/check-rooms.ts';
import { editLessons, type LessonEdit, withListedRooms } from './edit.rules.ts';
import { findEditConflicts, requestedTimes } from './find-conflicts.ts';
import { checkOverride } from './lesson.rules.ts';
import { clazzIdOf, lockLessons } from './load-lesson.ts';
import { saveLessons } from './save-lessons.ts';

/**
 * Teachers of the lesson may change topic and homework of this lesson. Other fields are for the managers of the class.
 */
const requireWriter = (
  session: Session,
  clazz: Clazz,
  it: LessonRow,
  { query, body }: Pick<Input<typeof seriesCalls.updateLesson>, 'query' | 'body'>,
): void => {
  const { topic: _topic, homework: _homework, reason: _reason, ...more } = body;
  const isText = query.scope === 'this' && Object.keys(more).length === 0;
  const { lead, teacher } = relatedPeopleOf({ clazz, lesson: it });
  session.access.requireAccess({ lead, teacher: isText && teacher }, MANAGERS_ONLY);
};

/** Checks the edit window of held lessons whose hours change, because this changes their charges. */
const requireEditWindows = async (
  session: Session,
  edits: readonly LessonEdit<LessonRow>[],
  reason: string | null | undefined,
): Promise<void> => {
  const charged = edits.filter(({ before, after }) => before.status === 'held' && before.hours !== after.hours);
  if (charged.length === 0) return;
  const policy = await policyInForce(session, session.org_id);
  const { caller, now } = session;
  for (const { before } of charged) requireEditWindow(before, policy, { caller, reason }, now);
};

/**
 * Locks the schedule of everybody whom edited lessons need, and of their rooms, so that no room gets another name.
 * Returns the edits with rooms as the list spells them.
 */
const lockWanted = async (
  session: Session,
  clazz_id: string,
  edits: readonly LessonEdit<LessonRow>[],
  room: string | null | undefined,
): Promise<LessonEdit<LessonRow>[]> => {
  if (edits.length === 0) return [];
  const wanted = edits.map(requestedTimes);
  const rooms = wanted.map((row) => row.room);
  await lockSchedule(session, {
    teachers: wanted.flatMap((row) => row.teacher_id ?? []),
    rooms,
    clazz_ids: [clazz_id],
  });
  const names = await listedNames(session, rooms);
  if (edits.some(({ before, after }) => before.room !== after.room)) await requireListedRoom(session, room, names);
  return withListedRooms(edits, names);
};

/** Changes a lesson, or with it the scheduled lessons of its series, as one set. */
export const updateLesson: Handler<typeof seriesCalls.updateLesson> = async ({ path, query, body }, session) => {
  const clazz = await lockClazz(session, await clazzIdOf(session, path.lesson_id));
  const { it, ...series } = await lockLessons(session, path.lesson_id, query.scope);
  requireWriter(session, clazz, it, { query, body });
  session.checkVersion(it.version);
  requireOpen(clazz);
  const override = checkOverride(session.caller, body);
  const drafts = editLessons(it, series, body, clazz, session.now);
  const withNewTeacher = drafts.find(({ before, after }) => before.teacher_id !== after.teacher_id);
  if (withNewTeacher) await requireListedTeacher(session, withNewTeacher.after.teacher_id, '/body/teacher_id');
  const edits = await lockWanted(session, clazz.id, drafts, body.room);
  const first = edits.find(({ before }) => before.id === it.id)?.after ?? it;
  if (edits.length === 0) return { ...(await shownLesson(session, clazz, first)), changed_lessons: 0 };
  const clashes = await findEditConflicts(session, clazz.id, edits);
  requireNoClash(clashes, override);
  const clashing = new Set(clashes.map((row) => row.n - 1));
  const changes = edits.map(({ before, after, moved }, index) => {
    // A moved lesson is an override only if it clashes at its new time. Other lessons keep their state.
    const isOverride = clashing.has(index) || (!moved && before.override);
    return { before, after: { ...after, override: isOverride } };
  });
  await requireEditWindows(session, edits, body.reason);
  await saveLessons(session, clazz.id, changes, body.reason ?? null);
  const placed = edits.filter(({ before, after, moved }) => moved || before.room !== after.room);
  await requireRoomCapacity(
    session,
    placed.map(({ after }) => after),
  );
  const full = await findOverfullLessons(
    session,
    edits.filter(({ moved }) => moved).map(({ after }) => after.id),
    clazz.capacity,
  );
  if (full.length > 0) throw new Problem('clazz_full', 'Guests of a moved lesson would have no seat');
  return { ...(await shownLesson(session, clazz, first)), changed_lessons: edits.length };
};
