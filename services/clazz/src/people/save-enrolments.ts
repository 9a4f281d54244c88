import { clazzEvents, type Enrolment, type EventData } from '@teaching/contracts';
import { notNull, type EventPublisher, instant, type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/record-audit.ts';
import { toBatches, lastById } from '../audit/event-batches.ts';
import { cascadeEnrolmentChanges, recordEndedLeave } from '../cascade/cascade-enrolments.ts';
import { updateExpectedStudents } from '../record/expected-students.ts';
import { recordFreedPlaces } from '../record/freed-places.ts';
import { ENROLMENT_PERIOD } from '../record/record.tables.ts';
import { type EnrolmentChange, isSeatFreed, openPeriod, periodChanges } from './enrolment.rules.ts';
import { ENROLMENT, WIRE_ENROLMENT } from './people.tables.ts';
import { trackRelationChanges } from './relation-publisher.ts';

/** Deletes periods that would have no duration. */
const DELETE_EMPTY = statement(
  `delete from enrolment_period where org_id = $1 and enrolment_id = any($2::uuid[])
     and upper_inf(during) and lower(during) >= $3`,
);
const CLOSE = statement(
  `update enrolment_period set during = tstzrange(lower(during), $3)
   where org_id = $1 and enrolment_id = any($2::uuid[]) and upper_inf(during)`,
);
const RECORD_LEFT = statement('update enrolment set left_at = $3 where org_id = $1 and id = any($2::uuid[])');
/** Reopens the periods that completing closed at `$3`. */
const REOPEN = statement(
  `update enrolment_period set during = tstzrange(lower(during), null)
   where org_id = $1 and enrolment_id = any($2::uuid[]) and upper(during) = $3`,
);
/** Creates the periods again that had not begun at `$3` and were deleted by completing. */
const RECREATE = statement(
  `insert into enrolment_period (org_id, clazz_id, enrolment_id, student_id, during)
   select e.org_id, e.clazz_id, e.id, e.student_id, tstzrange(greatest(e.since, $3), null) from enrolment e
   where e.org_id = $1 and e.id = any($2::uuid[]) and not exists (select from enrolment_period p
     where p.org_id = $1 and p.enrolment_id = e.id and upper_inf(p.during))`,
);

/** Opens and closes periods after changes of enrolments. `closed_at` is set when the class is reopened. */
const movePeriods = (session: Session, changes: readonly EnrolmentChange[], closed_at: string | null): void => {
  const { org_id, now } = session;
  const { open, close } = periodChanges(changes, now);
  if (close.length > 0) {
    session.run(DELETE_EMPTY, org_id, close, now);
    session.run(CLOSE, org_id, close, now);
    session.run(RECORD_LEFT, org_id, close, now);
  }
  const ids = open.map((row) => row.id);
  if (ids.length > 0 && closed_at !== null) {
    session.run(REOPEN, org_id, ids, closed_at);
    session.run(RECREATE, org_id, ids, closed_at);
    return;
  }
  const rows = open.map(({ id, clazz_id, student_id, from }) => ({
    org_id,
    enrolment_id: id,
    clazz_id,
    student_id,
    during: openPeriod(from),
  }));
  session.insert(ENROLMENT_PERIOD, ...rows);
};

const PERIODS_OF = statement(
  `select enrolment_id, lower(during) as since, upper(during) as until from enrolment_period
   where org_id = $1 and enrolment_id = any($2::uuid[]) order by during`,
  { ...ENROLMENT_PERIOD.pick('enrolment_id').shape, since: notNull(instant()), until: instant().nullable() },
);

type PublicEnrolment = EventData<typeof clazzEvents.enrolmentChanged>['enrolments'][number];

/** Publishes the last state of each enrolment: one event for each class. */
const publishEnrolmentEvents: EventPublisher<PublicEnrolment> = (session, rows) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(rows), (row) => row.clazz_id)) {
    for (const enrolments of toBatches(ofClazz)) {
      session.emit(clazzEvents.enrolmentChanged, clazz_id, { clazz_id, enrolments });
    }
  }
};

/** Enrolments as events contain them, with their periods. */
const withPeriods = async (session: Session, rows: readonly Enrolment[]): Promise<PublicEnrolment[]> => {
  const ids = rows.map((row) => row.id);
  const periods = Map.groupBy(await session.query(PERIODS_OF, session.org_id, ids), (row) => row.enrolment_id);
  return rows.map((row) => ({
    ...row,
    periods: (periods.get(row.id) ?? []).map(({ since, until }) => ({ since, until })),
  }));
};

/** Adds an audit entry for each changed enrolment. */
const auditEnrolments = (
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

/** An enrolment that is removed with its class, as events contain it: without any period. */
const toRemovedEnrolment = (row: Enrolment, removed_at: Date): PublicEnrolment => ({
  ...row,
  status: 'withdrawn',
  until: row.until ?? removed_at.toISOString(),
  periods: [],
});

/** Adds an audit entry for each enrolment that is removed with its class. */
const auditRemovedEnrolments = (session: Session, clazz_id: string, removed: readonly Enrolment[]): void => {
  const entries = removed.map((row) => ({
    action: 'delete' as const,
    entity: 'enrolment' as const,
    entity_id: row.id,
    changes: changesOf(row, null),
  }));
  audit(session, clazz_id, entries);
};

/** The time of creation never changes. The end of the membership is recorded with its period. */
const CHANGED = ENROLMENT.updateWithout('created_at', 'left_at');

const store = (session: Session, changes: readonly EnrolmentChange[]): void => {
  const { org_id, now } = session;
  const row = (it: Enrolment) => ({ org_id, ...it, created_at: now.toISOString(), left_at: null });
  const rowsOf = (isNew: boolean) =>
    changes.filter(({ before }) => (before === null) === isNew).map(({ after }) => row(after));
  session.insert(ENROLMENT, ...rowsOf(true));
  session.update(CHANGED, ...rowsOf(false));
};

interface SaveOptions {
  reason?: string | null | undefined;
  /** When a class is reopened: the moment at which completing closed the periods. */
  closed_at?: string | null;
}

/**
 * Stores changed enrolments of one class with all consequences: periods, expected students, relations, events, audit
 * entries and the cascade.
 * The class must be locked, and clashes must be checked.
 */
export const saveEnrolments = async (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  { reason, closed_at = null }: SaveOptions = {},
): Promise<void> => {
  if (changes.length === 0) return;
  const students = changes.map(({ after }) => after.student_id);
  const recordRelations = await trackRelationChanges(session, clazz_id, { students });
  store(session, changes);
  movePeriods(session, changes, closed_at);
  const recorded = await recordEndedLeave(session, changes, closed_at);
  updateExpectedStudents(session, clazz_id, students);
  const enrolments = changes.map(({ after }) => after);
  session.publishOnCommit(publishEnrolmentEvents, await withPeriods(session, enrolments));
  auditEnrolments(session, clazz_id, changes, reason ?? null);
  await recordRelations();
  await cascadeEnrolmentChanges(session, clazz_id, changes, { recorded, reason, closed_at });
  const leaving = changes.filter(isSeatFreed).map(({ after }) => after.student_id);
  if (leaving.length > 0) recordFreedPlaces(session, { clazz_ids: [clazz_id], students: leaving });
};

const REMOVE_ALL = statement(
  `delete from enrolment where org_id = $1 and clazz_id = $2 returning ${WIRE_ENROLMENT.columns}`,
  WIRE_ENROLMENT.shape,
);

/** Removes all enrolments of a class with their periods and relations. Publishes this at commit and audits it. */
export const removeEnrolments = async (session: Session, clazz_id: string): Promise<void> => {
  const recordRelations = await trackRelationChanges(session, clazz_id, {});
  const removed = await session.query(REMOVE_ALL, session.org_id, clazz_id);
  recordFreedPlaces(session, { students: removed.map((row) => row.student_id) });
  session.publishOnCommit(
    publishEnrolmentEvents,
    removed.map((row) => toRemovedEnrolment(row, session.now)),
  );
  auditRemovedEnrolments(session, clazz_id, removed);
  await recordRelations('delete');
};
