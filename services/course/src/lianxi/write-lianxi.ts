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
import { readAssignedStudents, assignStudents, publishAssignment } from './assignment.ts';
import { requireExistingClazz, courseIdOfSection } from './lianxi-references.ts';
import { requireDueBeforeClosing, summaryOf } from './lianxi.rules.ts';
import { LIANXI, lockLianxi, lockLianxiWithContent, readLianxiNames, toLianxiRow } from './lianxi-rows.ts';

const HANDED_IN = statement('select count(*) as count from submission where org_id = $1 and lianxi_id = $2', {
  count: notNull(bigint()),
});

/** Throws 409 `in_use` if the exercise has a submission: its questions can no longer change. */
const requireNotHandedIn = async (session: Session, lianxi_id: string): Promise<void> => {
  const found = await session.queryOne(HANDED_IN, session.org_id, lianxi_id);
  requireUnused([{ what: 'submission', count: found?.count ?? 0 }]);
};

export const createLianxi = twoStepHandler(lianxiCalls.createLianxi, {
  prepare: ({ body }, session) => requireExistingClazz(session, body),
  run: async ({ body }, session) => {
    const created = {
      ...newRecord(session),
      course_id: await courseIdOfSection(session, body.course_section_id),
      teacher_id: session.caller.user_id,
      ...LianxiFields.withDefaults(body, {}),
      ...summaryOf(body.content),
    };
    const student_ids = body.student_ids ?? [];
    session.insert(LIANXI, created);
    if (student_ids.length > 0) assignStudents(session, created.id, student_ids);
    session.emit(courseEvents.lianxiCreated, created.id, toLianxiRow(created));
    if (created.clazz_id !== null || student_ids.length > 0) publishAssignment(session, created, student_ids);
    return { ...created, ...(await readLianxiNames(session, created.id)) };
  },
});

/** Locks the original: it and its section cannot be deleted before the copy is stored. */
const LOCK_ORIGINAL = statement(
  `select ${LIANXI.columns} from lianxi where org_id = $1 and id = $2 for share`,
  LIANXI.shape,
);
/** A copy has no class, no students and no times: they belong to the assignment of the original. */
const UNASSIGNED = { clazz_id: null, due_at: null, closes_at: null };

/** Creates an exercise with the same questions and keys, without an assignment. The caller is its teacher. */
export const copyLianxi: Handler<typeof lianxiCalls.copyLianxi> = async ({ path, body }, session) => {
  const it = await session.queryOne(LOCK_ORIGINAL, session.org_id, path.id);
  if (it === undefined) throw notFound('Exercise');
  const teacher_id = session.caller.user_id;
  const copy = { ...it, ...newRecord(session), ...UNASSIGNED, title: body?.title ?? it.title, teacher_id };
  session.insert(LIANXI, copy);
  session.emit(courseEvents.lianxiCreated, copy.id, toLianxiRow(copy));
  return { ...copy, ...(await readLianxiNames(session, copy.id)) };
};

type Assignment = Pick<z.output<typeof lianxiCalls.updateLianxi.body>, 'student_ids' | 'clazz_id'>;

/** Most changes leave the content, which is large, as it is. */
const WITHOUT_CONTENT = LIANXI.updateWithout('content');

/** The students of an exercise after a change. The same set keeps its stored order. */
const studentsAfter = ({ student_ids, clazz_id }: Assignment, before: string[]): string[] => {
  if (student_ids === undefined && clazz_id == null) return before;
  const requested = student_ids ?? [];
  return isDeepStrictEqual(requested, before.toSorted()) ? before : requested;
};

/**
 * An absent field keeps its value; `null` clears it. An assignment to a class ends the assignment to students, and the
 * reverse.
 */
export const updateLianxi = twoStepHandler(lianxiCalls.updateLianxi, {
  prepare: ({ body }, session) => requireExistingClazz(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockLianxiWithContent(session, path.id);
    const patch = body.student_ids == null ? body : { ...body, clazz_id: null };
    const fields = LianxiFields.applyPatch(it, patch, {});
    requireDueBeforeClosing(fields, body);
    const isContentChanged = !isDeepStrictEqual(fields.content, it.content);
    if (isContentChanged) await requireNotHandedIn(session, it.id);
    const isSectionChanged = fields.course_section_id !== it.course_section_id;
    const course_id = isSectionChanged ? await courseIdOfSection(session, fields.course_section_id) : it.course_id;
    const before = await readAssignedStudents(session, it.id);
    const student_ids = studentsAfter(body, before);
    const updated = { ...it, ...fields, ...summaryOf(fields.content), course_id, student_ids };
    const answer = await saveChanged(
      session,
      { ...it, student_ids: before },
      updated,
      ({ student_ids: _separate, ...after }) => {
        if (isContentChanged) session.update(LIANXI, after);
        else session.update(WITHOUT_CONTENT, after);
        session.emit(courseEvents.lianxiUpdated, it.id, toLianxiRow(after));
        if (student_ids !== before) assignStudents(session, it.id, student_ids);
        if (student_ids !== before || after.clazz_id !== it.clazz_id) publishAssignment(session, after, student_ids);
      },
    );
    return { ...answer, ...(await readLianxiNames(session, it.id)) };
  },
});

export const deleteLianxi: Handler<typeof lianxiCalls.deleteLianxi> = async ({ path }, session) => {
  const it = await lockLianxi(session, path.id);
  await requireNotHandedIn(session, it.id);
  session.remove(LIANXI, it.id);
  session.emit(courseEvents.lianxiDeleted, it.id, { id: it.id });
  return null;
};
