import type { Clazz, Relation } from '@teaching/contracts';
import { newId, type Session, statement } from '@teaching/kit';
import { openPeriod } from './enrolment.rules.ts';
import { STAFF_PERIOD } from './people.tables.ts';
import { trackRelationChanges } from './relation-publisher.ts';

type Role = Relation['role'];

/** Deletes periods without a duration. */
const DELETE_EMPTY = statement(
  `delete from staff_period where org_id = $1 and clazz_id = $2 and role = $3 and teacher_id = any($4)
     and upper_inf(during) and lower(during) >= $5`,
);
const CLOSE = statement(
  `update staff_period set during = tstzrange(lower(during), $5)
   where org_id = $1 and clazz_id = $2 and role = $3 and teacher_id = any($4) and upper_inf(during)`,
);

/** Opens periods of teachers in a class. Null `since`: from the beginning of the class. */
export const openStaffPeriods = (
  session: Session,
  clazz_id: string,
  role: Role,
  teachers: readonly string[],
  since: Date | null,
): void => {
  const during = openPeriod(since?.toISOString() ?? null);
  const { org_id } = session;
  session.insert(
    STAFF_PERIOD,
    ...teachers.map((teacher_id) => ({ org_id, id: newId(), clazz_id, teacher_id, role, during })),
  );
};

const closeStaff = (session: Session, clazz_id: string, role: Role, teachers: readonly string[]): void => {
  if (teachers.length === 0) return;
  session.run(DELETE_EMPTY, session.org_id, clazz_id, role, teachers, session.now);
  session.run(CLOSE, session.org_id, clazz_id, role, teachers, session.now);
};

const without = (list: readonly string[], other: readonly string[]): string[] =>
  list.filter((id) => !other.includes(id));

/**
 * Updates the staff periods after a class changed. Periods of removed teachers end now, those of new teachers begin
 * now.
 */
export const updateStaffPeriods = async (session: Session, before: Clazz, after: Clazz): Promise<void> => {
  const joined = without(after.assistant_ids, before.assistant_ids);
  const left = without(before.assistant_ids, after.assistant_ids);
  const newLead = before.lead_teacher_id !== after.lead_teacher_id;
  const leads = newLead ? [before.lead_teacher_id, after.lead_teacher_id] : [];
  const teachers = [...new Set([...joined, ...left, ...leads])];
  if (teachers.length === 0) return;
  const recordRelations = await trackRelationChanges(session, after.id, { teachers });
  closeStaff(session, after.id, 'assistant', left);
  if (newLead) closeStaff(session, after.id, 'lead', [before.lead_teacher_id]);
  if (newLead) openStaffPeriods(session, after.id, 'lead', [after.lead_teacher_id], session.now);
  openStaffPeriods(session, after.id, 'assistant', joined, session.now);
  await recordRelations();
};
