import { courseEvents, lianxiCalls, LianxiFields } from '@teaching/contracts';
import { newRecord, prepared } from '@teaching/kit';
import { assignStudents, emitAssignment } from './assignment.ts';
import { summaryOf } from './content.rules.ts';
import { LIANXI, toLianxiRow } from './lianxi.table.ts';
import { requireDueBeforeClosing } from './limits.rules.ts';
import { readNames } from './named.ts';
import { checkClazz, courseOfSection } from './references.ts';

export const createLianxi = prepared(lianxiCalls.createLianxi, {
  prepare: ({ body }, session) => {
    requireDueBeforeClosing(body, body);
    return checkClazz(session, body);
  },
  run: async ({ body }, session) => {
    const created = {
      ...newRecord(session),
      course_id: await courseOfSection(session, body.course_section_id),
      teacher_id: session.caller.user_id,
      ...LianxiFields.filled(body, {}),
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
