import { courseEvents, type jihuaCalls, JihuaFields } from '@teaching/contracts';
import { type Handler, newRecord } from '@teaching/kit';
import { replaceStudents } from './jihua-students.ts';
import { daysOf } from './jihua.rules.ts';
import { JIHUA, toJihuaRow } from './jihua.table.ts';

export const createJihua: Handler<typeof jihuaCalls.create> = async ({ body }, session) => {
  const plan = JihuaFields.filled(body, {});
  const teacher_id = session.caller.user_id;
  const created = { ...newRecord(session), teacher_id, ...plan, planned_dates: daysOf(plan) };
  const student_ids = body.student_ids ?? [];
  session.insert(JIHUA, created);
  session.emit(courseEvents.jihuaCreated, created.id, toJihuaRow(created));
  if (student_ids.length > 0) {
    replaceStudents(session, created.id, student_ids);
    session.emit(courseEvents.jihuaStudentsPut, created.id, { id: created.id, student_ids });
  }
  return { ...created, student_ids };
};
