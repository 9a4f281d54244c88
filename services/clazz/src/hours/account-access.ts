import { notNull, type Condition, p, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { policyInForce } from '../policy/policy.ts';
import { MEMBER } from '../record/record.tables.ts';
import { canSeePricesByRole, canStudentSeePrices } from './prices.rules.ts';

/**
 * SQL: the students who are or were in a class that the teacher leads or assists, or in which the teacher gave a
 * lesson. Postgres finds the classes by the teacher and the students by the classes.
 */
export const studentsTaughtBy = (org: string, teacher: string): string => `
  select n.student_id from enrolment n where n.org_id = ${org} and n.clazz_id = any(array(
    select s.clazz_id from staff_period s join clazz c on c.org_id = s.org_id and c.id = s.clazz_id
    where s.org_id = ${org} and s.teacher_id = ${teacher}
      and (c.lead_teacher_id = ${teacher} or ${teacher} = any(c.assistant_ids))
    union select l.clazz_id from lesson l where l.org_id = ${org} and l.teacher_id = ${teacher}))`;

/**
 * The same rule for one student `$2` and one teacher `$3`. Postgres finds the classes by the student, which costs less.
 * A test of the gateway compares both.
 */
const TEACHES = statement(
  `select exists (
     select from enrolment e join clazz c on c.org_id = e.org_id and c.id = e.clazz_id
     where e.org_id = $1 and e.student_id = $2
       and (c.lead_teacher_id = $3 or $3 = any(c.assistant_ids)
         or exists (select from lesson l where l.org_id = $1 and l.clazz_id = c.id and l.teacher_id = $3))) as teaches`,
  { teaches: notNull(p.boolean()) },
);

/** A list condition: the student is one of a teacher's. `ownStudentsParams` gives its parameters. */
export const isTaughtBy = (student: string): Condition => `${student} = any(array(${studentsTaughtBy('?', '?')}))`;

/** The parameters of `isTaughtBy`. Undefined for a caller who sees all students. */
export const ownStudentsParams = ({ caller, org_id, access }: Session): readonly string[] | undefined => {
  const { user_id } = caller;
  return access.isLimitedTo('teacher') ? [org_id, org_id, user_id, user_id, user_id, org_id, user_id] : undefined;
};

const CLAZZES = statement('select distinct clazz_id from enrolment where org_id = $1 and student_id = $2', {
  clazz_id: notNull(p.uuid()),
});

/** Audits a read of a student's account or its entries, in all classes in which the student is or was. */
export const auditAccountRead = async (
  session: Session,
  student_id: string,
  entity: 'account' | 'entry' = 'account',
): Promise<void> => {
  const rows = await session.query(CLAZZES, session.org_id, student_id);
  auditRead(
    session,
    entity,
    rows.map((row) => row.clazz_id),
    student_id,
  );
};

/** SQL: the ids of all classes in which the student of a row is or was, as an array. */
export const clazzIdsOf = (row: string): string =>
  `array(select distinct n.clazz_id from enrolment n where n.org_id = ${row}.org_id and n.student_id = ${row}.student_id)`;

/** Audits a read of a list of hours, in all classes of the listed students. */
export const auditAccountListRead = (session: Session, rows: readonly { clazz_ids: readonly string[] }[]): void =>
  auditRead(
    session,
    'account',
    rows.flatMap((row) => row.clazz_ids),
    session.org_id,
  );

/** Refuses callers other than supervisors, the student and the student's teachers. */
export const requireAccountReader = async (session: Session, student_id: string): Promise<void> => {
  const { caller, org_id, access } = session;
  if (access.allows({ self: student_id, teacher: false })) return;
  const found = access.isLimitedTo('teacher')
    ? await session.queryOne(TEACHES, org_id, student_id, caller.user_id)
    : undefined;
  access.requireAccess(
    { self: student_id, teacher: found?.teaches },
    'Only a supervisor, the student or a teacher of the student may see these hours',
  );
};

const BIRTHDAY = statement(
  'select birthday from member where org_id = $1 and user_id = $2',
  MEMBER.pick('birthday').shape,
);

/** Whether the caller may see prices: staff may, guardians by their link, students by the policy. */
export const canSeePrices = async (session: Session): Promise<boolean> => {
  const { caller, org_id, now } = session;
  const byRole = canSeePricesByRole(caller);
  if (byRole !== undefined) return byRole;
  const [policy, member] = await Promise.all([
    policyInForce(session, org_id),
    session.queryOne(BIRTHDAY, org_id, caller.user_id),
  ]);
  return canStudentSeePrices(policy, member?.birthday ?? null, now);
};
