import { notNull, type Condition, p, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { policyInForce } from '../policy/policy.ts';
import { MEMBER } from '../record/record.tables.ts';
import { seesPrices, studentSeesPrices } from './prices.rules.ts';

/**
 * In a statement: the students who are or were in a class of which a teacher is lead or assistant, or in which they gave a
 * lesson. The classes are found by the teacher, and the students by the classes.
 */
export const studentsOf = (org: string, teacher: string): string => `
  select n.student_id from enrolment n where n.org_id = ${org} and n.clazz_id = any(array(
    select s.clazz_id from staff_period s join clazz c on c.org_id = s.org_id and c.id = s.clazz_id
    where s.org_id = ${org} and s.teacher_id = ${teacher}
      and (c.lead_teacher_id = ${teacher} or ${teacher} = any(c.assistant_ids))
    union select l.clazz_id from lesson l where l.org_id = ${org} and l.teacher_id = ${teacher}))`;

/**
 * The same rule for one student `$2` and one teacher `$3`: the classes are found by the student, which costs less. The
 * matrix of the gateway compares both.
 */
const TEACHES = statement(
  `select exists (
     select from enrolment e join clazz c on c.org_id = e.org_id and c.id = e.clazz_id
     where e.org_id = $1 and e.student_id = $2
       and (c.lead_teacher_id = $3 or $3 = any(c.assistant_ids)
         or exists (select from lesson l where l.org_id = $1 and l.clazz_id = c.id and l.teacher_id = $3))) as teaches`,
  { teaches: notNull(p.boolean()) },
);

/** In a list: that the student is one of a teacher's. */
export const taughtBy = (student: string): Condition => `${student} = any(array(${studentsOf('?', '?')}))`;

/** Its values for a caller who does not see all students. */
export const ownStudents = ({ caller, org_id, access }: Session): readonly string[] | undefined => {
  const { user_id } = caller;
  return access.isLimitedTo('teacher') ? [org_id, org_id, user_id, user_id, user_id, org_id, user_id] : undefined;
};

const CLAZZES = statement('select distinct clazz_id from enrolment where org_id = $1 and student_id = $2', {
  clazz_id: notNull(p.uuid()),
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
  const { caller, org_id, access } = session;
  if (access.allows({ self: student_id, teacher: false })) return;
  const found = access.isLimitedTo('teacher')
    ? await session.queryOne(TEACHES, org_id, student_id, caller.user_id)
    : undefined;
  access.requireAccess(
    { self: student_id, teacher: found?.teaches },
    'The hours of this student are not for the caller',
  );
};

const BIRTHDAY = statement(
  'select birthday from member where org_id = $1 and user_id = $2',
  MEMBER.pick('birthday').shape,
);

/** Whether the caller may see what was paid: staff, guardians by their link, students by the policy. */
export const canSeePrices = async (session: Session): Promise<boolean> => {
  const { caller, org_id, now } = session;
  const isSaid = seesPrices(caller);
  if (isSaid !== undefined) return isSaid;
  const [policy, member] = await Promise.all([
    policyInForce(session, org_id),
    session.queryOne(BIRTHDAY, org_id, caller.user_id),
  ]);
  return studentSeesPrices(policy, member?.birthday ?? null, now);
};
