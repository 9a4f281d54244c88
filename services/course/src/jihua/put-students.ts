import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import { type Handler, touched } from '@teaching/kit';
import { lockJihua, saveJihua } from './jihua-row.ts';
import { readStudents, replaceStudents } from './jihua-students.ts';

/** The same list again changes nothing. */
export const putJihuaStudents: Handler<typeof jihuaCalls.putStudents> = async ({ path, body }, session) => {
  const it = await lockJihua(session, path.id);
  const student_ids = [...new Set(body.student_ids)].toSorted();
  const before = new Set(await readStudents(session, it.id));
  if (before.size === student_ids.length && student_ids.every((id) => before.has(id))) return { ...it, student_ids };
  const answer = touched(it, session);
  replaceStudents(session, it.id, student_ids);
  saveJihua(session, answer);
  session.emit(courseEvents.jihuaStudentsPut, it.id, { id: it.id, student_ids });
  return { ...answer, student_ids };
};
