import type { clazzCalls, Enrolment, Output } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { audit } from '../audit/audit.ts';
import { toConflicts } from '../record/conflict.rules.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { findStudentConflicts } from '../schedule/find-conflicts.ts';
import { LISTED } from '../people/enrolment.table.ts';
import { saveEnrolments } from '../people/save-enrolments.ts';
import { COMPLETION } from './completion.table.ts';

const ENDED = statement(
  `select ${LISTED.columns} from enrolment where org_id = $1 and id = any($2::uuid[]) order by seq`,
  LISTED.shape,
);

export interface Restored {
  /** When the class had been completed. */
  at: string;
  /** Who has to be elsewhere during lessons of the class that were not cancelled. */
  busy: Output<typeof clazzCalls.reopenClazz>['not_restored'];
}

const busyStudents = async (
  session: Session,
  clazz_id: string,
  back: readonly Enrolment[],
  since: string,
  reason: string,
): Promise<Restored['busy']> => {
  const enrolmentOf = new Map(back.map(({ student_id, id }) => [student_id, id]));
  const students = [...enrolmentOf.keys()];
  await lockSchedule(session, { students });
  const clashes = await findStudentConflicts(session, clazz_id, students, since);
  return [...Map.groupBy(clashes, (row) => row.student_id)].flatMap(([student_id, rows]) => {
    const [first] = rows;
    const entity_id = enrolmentOf.get(student_id ?? '');
    if (student_id === null || first === undefined || entity_id === undefined) return [];
    const changes = { not_restored: { before: null, after: 'schedule_conflict' } };
    const about = [student_id];
    audit(session, clazz_id, [{ action: 'update', entity: 'enrolment', entity_id, changes, about }], reason);
    const { student_name, lesson_id, starts_at, ends_at } = first;
    const why = { why: 'clash' as const, reason: 'schedule_conflict', conflicts: toConflicts(rows) };
    return [{ student_id, student_name, lesson_id, starts_at, ends_at, ...why }];
  });
};

/** Gives the enrolments that completing a class ended the status they had. */
export const restoreEnrolments = async (session: Session, clazz_id: string, reason: string): Promise<Restored> => {
  const completion = await session.find(COMPLETION, clazz_id);
  if (completion === undefined) return { at: session.now.toISOString(), busy: [] };
  const status = new Map(completion.enrolments.map((row) => [row.id, row.status]));
  const rows = await session.query(ENDED, session.org_id, [...status.keys()]);
  const wanted = rows.map((before) => ({
    before,
    after: { ...before, status: status.get(before.id) ?? before.status, until: null },
  }));
  const back = wanted.map(({ after }) => after).filter(({ status: its }) => its === 'active');
  const busy = await busyStudents(session, clazz_id, back, completion.at, reason);
  const away = new Set(busy.map((row) => row.student_id));
  const changes = wanted.filter(({ after }) => !away.has(after.student_id));
  await saveEnrolments(session, clazz_id, changes, { reason, closed_at: completion.at });
  return { at: completion.at, busy };
};
