import { type Session, statement } from '@teaching/kit';
import { noteFreed } from '../record/freed.ts';
import { LISTED } from './enrolment.table.ts';
import { auditRemovedEnrolments, publishEnrolmentEvents, toRemovedEnrolment } from './tell-enrolments.ts';
import { watchRelations } from './watch-relations.ts';

const REMOVE = statement(
  `delete from enrolment where org_id = $1 and clazz_id = $2 returning ${LISTED.columns}`,
  LISTED.shape,
);

/** Removes all enrolments of a class with their periods and relations, publishes that at commit and audits it. */
export const removeEnrolments = async (session: Session, clazz_id: string): Promise<void> => {
  const recordRelations = await watchRelations(session, clazz_id, {});
  const removed = await session.query(REMOVE, session.org_id, clazz_id);
  noteFreed(session, { students: removed.map((row) => row.student_id) });
  session.publishOnCommit(
    publishEnrolmentEvents,
    removed.map((row) => toRemovedEnrolment(row, session.now)),
  );
  auditRemovedEnrolments(session, clazz_id, removed);
  await recordRelations('delete');
};
