import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import { type Handler, newRecord } from '@teaching/kit';
import { saveJihua, type StoredJihua, toRow } from './jihua-row.ts';
import { replaceStudents } from './jihua-students.ts';
import { applyPatch, daysOf, DEFAULTS } from './jihua.rules.ts';

export const createJihua: Handler<typeof jihuaCalls.create> = async ({ body }, session) => {
  const { student_ids: named, ...fields } = body;
  const { title, starts_on, ends_on, zone } = fields;
  const plan = applyPatch({ ...DEFAULTS, title, starts_on, ends_on, zone }, fields);
  const created: StoredJihua = {
    ...newRecord(session),
    teacher_id: session.caller.user_id,
    ...plan,
    planned_dates: daysOf(plan),
  };
  const student_ids = [...new Set(named)].toSorted();
  saveJihua(session, created);
  session.emit(courseEvents.jihuaCreated, created.id, toRow(created));
  if (student_ids.length > 0) {
    replaceStudents(session, created.id, student_ids);
    session.emit(courseEvents.jihuaStudentsPut, created.id, { id: created.id, student_ids });
  }
  return { ...created, student_ids };
};
