import { courseEvents, type jihuaCalls, JihuaFields } from '@teaching/contracts';
import { type Handler, newRecord } from '@teaching/kit';
import { readNames, replaceStudents, shownMembers } from './jihua-students.ts';
import { daysOf, requireReadable } from './jihua.rules.ts';
import { JIHUA, toJihuaRow } from './jihua.table.ts';

export const createJihua: Handler<typeof jihuaCalls.createJihua> = async ({ body }, session) => {
  requireReadable(body.rrule);
  const plan = JihuaFields.filled(body, {});
  const teacher_id = session.caller.user_id;
  const created = { ...newRecord(session), teacher_id, ...plan, planned_dates: daysOf(plan) };
  const student_ids = body.student_ids ?? [];
  const shown = shownMembers(
    student_ids.map((student_id) => ({ student_id, since: null })),
    plan.starts_on,
  );
  session.insert(JIHUA, created);
  session.emit(courseEvents.jihuaCreated, created.id, toJihuaRow(created));
  if (student_ids.length > 0) {
    replaceStudents(session, created.id, student_ids, null);
    session.emit(courseEvents.jihuaStudentsPut, created.id, { id: created.id, ...shown });
  }
  return { ...created, ...(await readNames(session, created)) };
};
