import { isDeepStrictEqual } from 'node:util';
import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import { type Handler, touched } from '@teaching/kit';
import { readStudents, replaceStudents } from './jihua-students.ts';
import { JIHUA } from './jihua.table.ts';
import { lockWholeJihua } from './lock-jihua.ts';

/** The same list again changes nothing. */
export const putJihuaStudents: Handler<typeof jihuaCalls.putStudents> = async ({ path, body }, session) => {
  const it = await lockWholeJihua(session, path.id);
  const { student_ids } = body;
  const before = await readStudents(session, it.id);
  if (isDeepStrictEqual(before.toSorted(), student_ids)) return { ...it, student_ids };
  const answer = touched(it, session);
  replaceStudents(session, it.id, student_ids);
  session.update(JIHUA, answer);
  session.emit(courseEvents.jihuaStudentsPut, it.id, { id: it.id, student_ids });
  return { ...answer, student_ids };
};
