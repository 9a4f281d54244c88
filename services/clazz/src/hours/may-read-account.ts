import { auditRead } from '../audit/audit.ts';
import { always, p, type Session, statement } from '@teaching/kit';
import { TEACHES } from './taught-by.ts';

const CLAZZES = statement('select distinct clazz_id from enrolment where org_id = $1 and student_id = $2', {
  clazz_id: always(p.uuid()),
});

/**
 * Puts the reading of a student's hours on the trail, also of all classes the student is or was in: of the account, or of
 * its entries.
 */
export const auditAccountRead = async (
  session: Session,
  student_id: string,
  what: 'account' | 'entry' = 'account',
): Promise<void> => {
  const rows = await session.query(CLAZZES, session.org_id, student_id);
  auditRead(
    session,
    what,
    rows.map((row) => row.clazz_id),
    student_id,
  );
};

/** In a statement: all classes that the student of a row is or was in, as an array. */
export const CLAZZES_OF = (row: string): string =>
  `array(select distinct n.clazz_id from enrolment n where n.org_id = ${row}.org_id and n.student_id = ${row}.student_id)`;

/** Puts the reading of a list of hours on the trail: of all classes that those it showed are or were in. */
export const auditAccountsRead = (session: Session, rows: readonly { clazz_ids: readonly string[] }[]): void =>
  auditRead(
    session,
    'account',
    rows.flatMap((row) => row.clazz_ids),
    session.org_id,
  );

/** Hours are for supervisors, the student, and the student's teachers. */
export const requireAccountReader = async (session: Session, student_id: string): Promise<void> => {
  const { caller, org_id, reach } = session;
  if (reach.covers({ self: student_id, teacher: false })) return;
  const found = reach.goesBy('teacher') ? await session.one(TEACHES, org_id, student_id, caller.user_id) : undefined;
  reach.require({ self: student_id, teacher: found?.teaches }, 'The hours of this student are not for the caller');
};
