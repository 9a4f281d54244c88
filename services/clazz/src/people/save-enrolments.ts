import type { Enrolment } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { enrolmentsChanged } from '../cascade/enrolments-changed.ts';
import { expectStudents } from '../record/expected-students.ts';
import { noteFreed } from '../record/freed.ts';
import { type EnrolmentChange, isEnding } from './enrolment.rules.ts';
import { ENROLMENT } from './enrolment.table.ts';
import { movePeriods } from './move-periods.ts';
import { auditEnrolments, publishEnrolmentEvents, withPeriods } from './tell-enrolments.ts';
import { watchRelations } from './watch-relations.ts';

/** When an enrolment was made never changes. */
const CHANGED = ENROLMENT.updateWithout('created_at');

const store = (session: Session, changes: readonly EnrolmentChange[]): void => {
  const { org_id, now } = session;
  const row = (it: Enrolment) => ({ org_id, ...it, created_at: now.toISOString() });
  const rowsOf = (isNew: boolean) =>
    changes.filter(({ before }) => (before === null) === isNew).map(({ after }) => row(after));
  session.insert(ENROLMENT, ...rowsOf(true));
  session.update(CHANGED, ...rowsOf(false));
};

interface SaveOptions {
  reason?: string | null | undefined;
  /** Reopening: the moment at which completing had closed the periods. */
  closed_at?: string;
}

/**
 * Stores changed enrolments of one class with everything that follows: periods, expected students of its
 * lessons, relations, events, audit entries, the cascade. The class must be locked, clashes checked.
 */
export const saveEnrolments = async (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  { reason, closed_at }: SaveOptions = {},
): Promise<void> => {
  if (changes.length === 0) return;
  const students = changes.map(({ after }) => after.student_id);
  const recordRelations = await watchRelations(session, clazz_id, { students });
  store(session, changes);
  movePeriods(session, changes, closed_at ?? null);
  expectStudents(session, clazz_id, students);
  const enrolments = changes.map(({ after }) => after);
  session.publishOnCommit(publishEnrolmentEvents, await withPeriods(session, enrolments));
  auditEnrolments(session, clazz_id, changes, reason ?? null);
  await recordRelations();
  await enrolmentsChanged(session, clazz_id, changes, reason, closed_at);
  const gone = changes.filter(isEnding).map(({ after }) => after.student_id);
  if (gone.length > 0) noteFreed(session, { clazz_ids: [clazz_id], students: gone });
};
