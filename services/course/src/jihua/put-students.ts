import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { touch } from '../shared/record.ts';
import { lockJihua, saveJihua } from './jihua-row.ts';
import { readStudents, replaceStudents } from './jihua-students.ts';

/** The same list again changes nothing. */
export const putJihuaStudents: Handler<typeof jihuaCalls.putStudents> = async ({ path, body }, session) => {
  const it = await lockJihua(session, path.id);
  const student_ids = [...new Set(body.student_ids)].toSorted();
  const before = new Set(await readStudents(session, it.id));
  if (before.size !== student_ids.length || student_ids.some((id) => !before.has(id))) {
    replaceStudents(session, it.id, student_ids);
    touch(it, session);
    saveJihua(session, it);
    session.emit(courseEvents.jihuaStudentsPut, it.id, { id: it.id, student_ids });
  }
  return { ...it, student_ids };
};
