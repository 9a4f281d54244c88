import { isDeepStrictEqual } from 'node:util';
import { courseEvents, lianxiCalls, LianxiFields } from '@teaching/contracts';
import { prepared, touched } from '@teaching/kit';
import { assignedStudents, assignStudents, tellAssigned } from './assignment.ts';
import { summaryOf } from './content.rules.ts';
import { requireNotHandedIn } from './handed-in.ts';
import { LIANXI, toLianxiRow } from './lianxi.table.ts';
import { requireDueBeforeClosing } from './limits.rules.ts';
import { lockWholeLianxi } from './lock-lianxi.ts';
import { checkClazz, courseOfSection } from './references.ts';

/** The content is large, and most changes leave it as it is. */
const BUT_CONTENT = LIANXI.updateWithout('content');

/** Absent keeps, `null` clears; assigning to a class ends the assignment to students, and the other way round. */
export const updateLianxi = prepared(lianxiCalls.update, {
  prepare: ({ body }, session) => checkClazz(session, body),
  run: async ({ path, body }, session) => {
    const it = await lockWholeLianxi(session, path.id);
    const wanted = body.student_ids == null ? body : { ...body, clazz_id: null };
    const fields = LianxiFields.patched(it, wanted, {});
    requireDueBeforeClosing(fields, body);
    const isAnother = !isDeepStrictEqual(fields.content, it.content);
    if (isAnother) await requireNotHandedIn(session, it.id);
    const isMoved = fields.course_section_id !== it.course_section_id;
    const course_id = isMoved ? await courseOfSection(session, fields.course_section_id) : it.course_id;
    const answer = touched({ ...it, ...fields, ...summaryOf(fields.content), course_id }, session);
    const row = toLianxiRow(answer);
    if (isAnother) session.update(LIANXI, answer);
    else session.update(BUT_CONTENT, answer);
    const before = await assignedStudents(session, it.id);
    const isAssigned = body.student_ids !== undefined || body.clazz_id != null;
    const student_ids = isAssigned ? (body.student_ids ?? []) : before;
    if (isAssigned) assignStudents(session, it.id, student_ids);
    session.emit(courseEvents.lianxiUpdated, it.id, row);
    const isNew = answer.clazz_id !== it.clazz_id || (isAssigned && !isDeepStrictEqual(student_ids, before.toSorted()));
    if (isNew) tellAssigned(session, answer, student_ids);
    return { ...answer, student_ids };
  },
});
