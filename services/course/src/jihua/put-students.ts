import { courseEvents, type jihuaCalls } from '@teaching/contracts';
import { type Handler, localDate, touched } from '@teaching/kit';
import { readMembers, readNames, replaceStudents, shownMembers } from './jihua-students.ts';
import { JIHUA } from './jihua.table.ts';
import { lockWholeJihua } from './lock-jihua.ts';

/** Who is new belongs to the plan from today, unless another day is said. The same list again changes nothing. */
export const putJihuaStudents: Handler<typeof jihuaCalls.putJihuaStudents> = async ({ path, body }, session) => {
  const it = await lockWholeJihua(session, path.id);
  const { student_ids, since = null } = body;
  const first = since ?? localDate(session.now, it.zone);
  const before = new Map((await readMembers(session, it.id)).map((member) => [member.student_id, member]));
  const members = student_ids.map((student_id) => before.get(student_id) ?? { student_id, since: first });
  const shown = shownMembers(members, it.starts_on);
  if (before.size === members.length && members.every((member) => before.has(member.student_id))) {
    return { ...it, ...(await readNames(session, it)) };
  }
  const answer = touched(it, session);
  replaceStudents(session, it.id, student_ids, first);
  session.update(JIHUA, answer);
  session.emit(courseEvents.jihuaStudentsPut, it.id, { id: it.id, ...shown });
  return { ...answer, ...(await readNames(session, it)) };
};
