import { clazzEvents, type Enrolment, type EventData } from '@teaching/contracts';
import { always, instant, type Session, statement, type Tell } from '@teaching/kit';
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

type Told = EventData<typeof clazzEvents.enrolmentChanged>['enrolments'][number];

/** Enrolments as a transaction leaves them: one event for each class. */
const tellOnce: Tell<Told> = (session, rows) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(rows), (row) => row.clazz_id)) {
    for (const enrolments of inParts(ofClazz)) {
      session.emit(clazzEvents.enrolmentChanged, clazz_id, { clazz_id, enrolments });
    }
  }
};

/** Tells everybody which enrolments changed and when their students belong to the class, and the audit trail why. */
export const tellEnrolments = async (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  reason: string | null,
): Promise<void> => {
  const rows = changes.map(({ after }) => after);
  const ids = rows.map((row) => row.id);
  const periods = Map.groupBy(await session.query(PERIODS, session.org_id, ids), (row) => row.enrolment_id);
  const told = rows.map((row) => ({
    ...row,
    periods: (periods.get(row.id) ?? []).map(({ since, until }) => ({ since, until })),
  }));
  session.tellOnce(tellOnce, told);
  const entries = changes.map(({ before, after }) => ({
    action: before === null ? ('create' as const) : ('update' as const),
    entity: 'enrolment' as const,
    entity_id: after.id,
    about: [after.student_id],
    changes: changesOf(before, after),
  }));
  audit(session, clazz_id, entries, reason);
};

/** Tells everybody, and the audit trail, of enrolments removed with their class: nobody ever belonged to it. */
export const tellRemovedEnrolments = (session: Session, clazz_id: string, removed: readonly Enrolment[]): void => {
  const until = session.now.toISOString();
  const told = removed.map((row) => ({
    ...row,
    status: 'withdrawn' as const,
    until: row.until ?? until,
    periods: [],
  }));
  session.tellOnce(tellOnce, told);
  const entries = removed.map((row) => ({
    action: 'delete' as const,
    entity: 'enrolment' as const,
    entity_id: row.id,
    changes: changesOf(row, null),
  }));
  audit(session, clazz_id, entries);
};
