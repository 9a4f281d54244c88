import type { enrolmentCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { requireListedStudents } from '../record/require-listed.ts';
import { enrolStudents } from './enrol-students.ts';
import { checkStudents, placeOf } from './enrolment.rules.ts';
import { shownEnrolments } from './shown-enrolments.ts';

/** Enrols all students or none, from `since` on; those without a place wait if that was asked for. */
export const enrol: Handler<typeof enrolmentCalls.enrolStudents> = async ({ path, body }, session) => {
  checkStudents(body.student_ids);
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  await requireListedStudents(session, body.student_ids, placeOf);
  const items = await enrolStudents(session, it, body);
  return { items: await shownEnrolments(session, it, items) };
};
