import { courseEvents, lianxiCalls } from '@teaching/contracts';
import { prepared, rowsOf, newRecord } from '@teaching/kit';
import { assignStudents } from './assignment.ts';
import { contentOf, summaryOf } from './content.rules.ts';
import { LIANXI } from './lianxi.table.ts';
import { checkClazz, courseOfSection } from './references.ts';

export const createLianxi = prepared(lianxiCalls.create, {
  prepare: ({ body }, session) => checkClazz(session, body.clazz_id),
  run: async ({ body }, session) => {
    const course_id = await courseOfSection(session, body.course_section_id);
    const content = contentOf(body.content);
    const student_ids = [...new Set(body.student_ids)].toSorted();
    const row = {
      ...newRecord(session),
      course_id,
      course_section_id: body.course_section_id,
      teacher_id: session.caller.user_id,
      title: body.title,
      ...summaryOf(content),
      due_at: body.due_at ?? null,
      clazz_id: body.clazz_id ?? null,
    };
    session.run(LIANXI.insert, rowsOf({ ...row, content }));
    if (student_ids.length > 0) assignStudents(session, row.id, student_ids);
    session.emit(courseEvents.lianxiCreated, row.id, row);
    return { ...row, content, student_ids };
  },
});
