import type { clazzCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { livingEnrolments } from '../people/read-enrolments.ts';
import { RELATION } from '../people/relation.view.ts';
import { requireManager } from '../record/access.rules.ts';
import { findClazz } from '../record/load-clazz.ts';
import { namesOf } from '../record/names-of.ts';
import { requireMove } from './clazz.rules.ts';
import { futureLessons } from './end-clazz.ts';
import { findBlockers } from './find-blockers.ts';

const RELATIONS = statement(
  `select teacher_id, student_id, role from relation
   where org_id = $1 and clazz_id = $2 and upper_inf(during) order by student_id, role, teacher_id`,
  { teacher_id: RELATION.teacher_id, student_id: RELATION.student_id, role: RELATION.role },
);

/** What completing the class now would meet and do. */
export const previewClazzCompletion: Handler<typeof clazzCalls.previewClazzCompletion> = async ({ path }, session) => {
  const it = await findClazz(session, path.id);
  requireManager(session.reach, it);
  requireMove(it.status, 'complete');
  const [blockers, lessons, enrolments, relations] = await Promise.all([
    findBlockers(session, it.id),
    futureLessons(session, it.id),
    livingEnrolments(session, it.id),
    session.query(RELATIONS, session.org_id, it.id),
  ]);
  const nameOf = await namesOf(session, session.org_id, [
    ...[...enrolments, ...relations].map((row) => row.student_id),
    ...relations.map((row) => row.teacher_id),
  ]);
  const named = <R extends { student_id: string }>(row: R) => ({ ...row, student_name: nameOf(row.student_id) });
  auditRead(session, 'clazz', [it.id]);
  return {
    clazz_id: it.id,
    clazz_name: it.name,
    can_complete: blockers.length === 0,
    blockers,
    lessons_to_cancel: lessons.map(({ id, starts_at, ends_at }) => ({ lesson_id: id, starts_at, ends_at })),
    enrolments_to_end: enrolments.map(({ student_id, status }) => named({ student_id, status })),
    relations_to_end: relations.map((row) => ({ ...named(row), teacher_name: nameOf(row.teacher_id) })),
  };
};
