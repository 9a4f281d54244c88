import { isDeepStrictEqual } from 'node:util';
import { courseEvents, lianxiCalls, LianxiFields, notFound } from '@teaching/contracts';
import {
  notNull,
  bigint,
  type Handler,
  newRecord,
  twoStepHandler,
  requireUnused,
  saveChanged,
  type Session,
  statement,
} from '@teaching/kit';
import type { z } from 'zod';
import { assignedStudents, assignStudents, emitAssignment } from './assignment.ts';
import { checkClazz, courseOfSection } from './lianxi-references.ts';
import { requireDueBeforeClosing, summaryOf } from './lianxi.rules.ts';
import { LIANXI, lockLianxi, lockWholeLianxi, readNames, toLianxiRow } from './lianxi-rows.ts';

const HANDED_IN = statement('select count(*) as count from submission where org_id = $1 and lianxi_id = $2', {
  count: notNull(bigint()),
});

/** The questions of a practice stay once a student has answered them. */
const requireNotHandedIn = async (session: Session, lianxi_id: string): Promise<void> => {
  const found = await session.queryOne(HANDED_IN, session.org_id, lianxi_id);
  requireUnused([{ what: 'submission', count: found?.count ?? 0 }]);
};

export const createLianxi = twoStepHandler(lianxiCalls.createLianxi, {
  prepare: ({ body }, session) => {
    requireDueBeforeClosing(body, body);
    return checkClazz(session, body);
  },
  run: async ({ body }, session) => {
    const created = {
      ...newRecord(session),
      course_id: await courseOfSection(session, body.course_section_id),
      teacher_id: session.caller.user_id,
      ...LianxiFields.withDefaults(body, {}),
      ...summaryOf(body.content),
    };
    const student_ids = body.student_ids ?? [];
    session.insert(LIANXI, created);
    if (student_ids.length > 0) assignStudents(session, created.id, student_ids);
    session.emit(courseEvents.lianxiCreated, created.id, toLianxiRow(created));
    if (created.clazz_id !== null || student_ids.length > 0) emitAssignment(session, created, student_ids);
    return { ...created, ...(await readNames(session, created.id)) };
  },
});

/** Keeps the original and its section until the copy is stored. */
const HOLD = statement(`select ${LIANXI.columns} from lianxi where org_id = $1 and id = $2 for share`, LIANXI.shape);
/** Students and times belong to the assignment, so a copy has none. */
const UNASSIGNED = { clazz_id: null, due_at: null, closes_at: null };

/** Creates a practice of the caller with the same questions and keys, without an assignment. */
export const copyLianxi: Handler<typeof lianxiCalls.copyLianxi> = async ({ path, body }, session) => {
  const it = await session.queryOne(HOLD, session.org_id, path.id);
  if (it === undefined) throw notFound('Lianxi');
  const teacher_id = session.caller.user_id;
  const copy = { ...it, ...newRecord(session), ...UNASSIGNED, title: body?.title ?? it.title, teacher_id };
  session.insert(LIANXI, copy);
  session.emit(courseEvents.lianxiCreated, copy.id, toLianxiRow(copy));
  return { ...copy, ...(await readNames(session, copy.id)) };
};

type Assignment = Pick<z.output<typeof lianxiCalls.updateLianxi.body>, 'student_ids' | 'clazz_id'>;

/** The content is large, and most changes leave it as it is. */
const BUT_CONTENT = LIANXI.updateWithout('content');

/** The students of a practice after a change; the same set keeps its stored order. */
const assignedBy = ({ student_ids, clazz_id }: Assignment, before: string[]): string[] => {
  if (student_ids === undefined && clazz_id == null) return before;
  const wanted = student_ids ?? [];
  return isDeepStrictEqual(wanted, before.toSorted()) ? before : wanted;
};

/** Absent keeps, `null` clears; assigning to a class ends the assignment to students, and the other way round. */
export const updateLianxi = twoStepHandler(lianxiCalls.updateLianxi, {
  prepare: ({ body }, session) => checkClazz(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockWholeLianxi(session, path.id);
    const wanted = body.student_ids == null ? body : { ...body, clazz_id: null };
    const fields = LianxiFields.applyPatch(it, wanted, {});
    requireDueBeforeClosing(fields, body);
    const isAnother = !isDeepStrictEqual(fields.content, it.content);
    if (isAnother) await requireNotHandedIn(session, it.id);
    const isMoved = fields.course_section_id !== it.course_section_id;
    const course_id = isMoved ? await courseOfSection(session, fields.course_section_id) : it.course_id;
    const before = await assignedStudents(session, it.id);
    const student_ids = assignedBy(body, before);
    const whole = { ...it, ...fields, ...summaryOf(fields.content), course_id, student_ids };
    const answer = await saveChanged(
      session,
      { ...it, student_ids: before },
      whole,
      ({ student_ids: _apart, ...after }) => {
        if (isAnother) session.update(LIANXI, after);
        else session.update(BUT_CONTENT, after);
        session.emit(courseEvents.lianxiUpdated, it.id, toLianxiRow(after));
        if (student_ids !== before) assignStudents(session, it.id, student_ids);
        if (student_ids !== before || after.clazz_id !== it.clazz_id) emitAssignment(session, after, student_ids);
      },
    );
    return { ...answer, ...(await readNames(session, it.id)) };
  },
});

export const deleteLianxi: Handler<typeof lianxiCalls.deleteLianxi> = async ({ path }, session) => {
  const it = await lockLianxi(session, path.id);
  await requireNotHandedIn(session, it.id);
  session.remove(LIANXI, it.id);
  session.emit(courseEvents.lianxiDeleted, it.id, { id: it.id });
  return null;
};
