import { clazzEvents, type Enrolment, type EventData } from '@teaching/contracts';
import { always, type EventPublisher, instant, type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';
import { ENROLMENT_PERIOD } from '../record/enrolment-period.table.ts';
import type { EnrolmentChange } from './enrolment.rules.ts';

const PERIODS = statement(
  `select enrolment_id, lower(during) as since, upper(during) as until from enrolment_period
   where org_id = $1 and enrolment_id = any($2::uuid[]) order by during`,
  { ...ENROLMENT_PERIOD.some('enrolment_id').shape, since: always(instant()), until: instant().nullable() },
);

type PublicEnrolment = EventData<typeof clazzEvents.enrolmentChanged>['enrolments'][number];

/** Emits the last state of each enrolment: one event for each class. */
export const publishEnrolmentEvents: EventPublisher<PublicEnrolment> = (session, rows) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(rows), (row) => row.clazz_id)) {
    for (const enrolments of inParts(ofClazz)) {
      session.emit(clazzEvents.enrolmentChanged, clazz_id, { clazz_id, enrolments });
    }
  }
};

/** Changed enrolments as events contain them: with the periods in which their students belong to the class. */
export const withPeriods = async (session: Session, rows: readonly Enrolment[]): Promise<PublicEnrolment[]> => {
  const ids = rows.map((row) => row.id);
  const periods = Map.groupBy(await session.query(PERIODS, session.org_id, ids), (row) => row.enrolment_id);
  return rows.map((row) => ({
    ...row,
    periods: (periods.get(row.id) ?? []).map(({ since, until }) => ({ since, until })),
  }));
};

/** Puts an entry on the audit trail for each changed enrolment. */
export const auditEnrolments = (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  reason: string | null,
): void => {
  const entries = changes.map(({ before, after }) => ({
    action: before === null ? ('create' as const) : ('update' as const),
    entity: 'enrolment' as const,
    entity_id: after.id,
    about: [after.student_id],
    changes: changesOf(before, after),
  }));
  audit(session, clazz_id, entries, reason);
};

/** An enrolment removed with its class, as events contain it: the student never belonged to the class. */
export const toRemovedEnrolment = (row: Enrolment, removed_at: Date): PublicEnrolment => ({
  ...row,
  status: 'withdrawn',
  until: row.until ?? removed_at.toISOString(),
  periods: [],
});

/** Puts an entry on the audit trail for each enrolment removed with its class. */
export const auditRemovedEnrolments = (session: Session, clazz_id: string, removed: readonly Enrolment[]): void => {
  const entries = removed.map((row) => ({
    action: 'delete' as const,
    entity: 'enrolment' as const,
    entity_id: row.id,
    changes: changesOf(row, null),
  }));
  audit(session, clazz_id, entries);
};
