import { clazzEvents, type EventData } from '@teaching/contracts';
import { type Session, statement, type Tell } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { inParts } from '../audit/in-parts.ts';
import { lastById } from '../audit/last-by-id.ts';
import { expectStudents } from '../lesson/expected.ts';
import { watchRelations } from '../relation/watch-relations.ts';
import { enrolmentsChanged } from '../cascade/enrolments-changed.ts';
import { type EnrolmentChange, periodSteps } from './enrolment.rules.ts';

const SAVE = statement(
  `insert into enrolment (org_id, clazz_id, id, student_id, status, since, until, created_at)
   select $1, $2, e.*, $8 from unnest($3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[]) as e
   on conflict (org_id, id) do update set status = excluded.status, since = excluded.since, until = excluded.until`,
);
/** A period that would last no time is as if it had never been. */
const FORGET = statement(
  `delete from enrolment_period where org_id = $1 and enrolment_id = any($2::uuid[])
     and upper_inf(during) and lower(during) >= $3`,
);
const CLOSE = statement(
  `update enrolment_period set during = tstzrange(lower(during), $3)
   where org_id = $1 and enrolment_id = any($2::uuid[]) and upper_inf(during)`,
);
const OPEN = statement(
  `insert into enrolment_period (org_id, clazz_id, enrolment_id, student_id, during)
   select $1, $2, p.id, p.student_id, tstzrange(p.since, null)
   from unnest($3::uuid[], $4::text[], $5::timestamptz[]) as p(id, student_id, since)`,
);
/** What completing closed at `$3` goes on as if it had not been closed. */
const REOPEN = statement(
  `update enrolment_period set during = tstzrange(lower(during), null)
   where org_id = $1 and enrolment_id = any($2::uuid[]) and upper(during) = $3`,
);
/** Periods that were still to begin at `$3` had been forgotten. */
const REMEMBER = statement(
  `insert into enrolment_period (org_id, clazz_id, enrolment_id, student_id, during)
   select e.org_id, e.clazz_id, e.id, e.student_id, tstzrange(greatest(e.since, $3), null) from enrolment e
   where e.org_id = $1 and e.id = any($2::uuid[]) and not exists (select from enrolment_period p
     where p.org_id = $1 and p.enrolment_id = e.id and upper_inf(p.during))`,
);
const PERIODS = statement<{ enrolment_id: string; since: string; until: string | null }>(
  `select enrolment_id, lower(during) as since, upper(during) as until from enrolment_period
   where org_id = $1 and enrolment_id = any($2::uuid[]) order by during`,
);

const store = (session: Session, clazz_id: string, rows: readonly EnrolmentChange['after'][]): void =>
  session.run(
    SAVE,
    session.org_id,
    clazz_id,
    rows.map((row) => row.id),
    rows.map((row) => row.student_id),
    rows.map((row) => row.status),
    rows.map((row) => row.since),
    rows.map((row) => row.until),
    session.now,
  );

const movePeriods = (
  session: Session,
  clazz_id: string,
  changes: readonly EnrolmentChange[],
  closed_at: string | null,
): void => {
  const { open, close } = periodSteps(changes, session.now);
  if (close.length > 0) {
    session.run(FORGET, session.org_id, close, session.now);
    session.run(CLOSE, session.org_id, close, session.now);
  }
  const ids = open.map((row) => row.id);
  if (ids.length === 0) return;
  if (closed_at !== null) {
    session.run(REOPEN, session.org_id, ids, closed_at);
    session.run(REMEMBER, session.org_id, ids, closed_at);
    return;
  }
  const students = open.map((row) => row.student_id);
  const from = open.map((row) => row.from);
  session.run(OPEN, session.org_id, clazz_id, ids, students, from);
};

type Told = EventData<typeof clazzEvents.enrolmentChanged>['enrolments'][number];

/** Enrolments as a transaction leaves them: one event for each class. */
const tellEnrolments: Tell<Told> = (session, rows) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(lastById(rows), (row) => row.clazz_id)) {
    for (const enrolments of inParts(ofClazz)) {
      session.emit(clazzEvents.enrolmentChanged, clazz_id, { clazz_id, enrolments });
    }
  }
};

const tell = async (
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
  session.tellOnce(tellEnrolments, told);
  const entries = changes.map(({ before, after }) => ({
    action: before === null ? ('create' as const) : ('update' as const),
    entity: 'enrolment' as const,
    entity_id: after.id,
    changes: changesOf(before, after),
  }));
  audit(session, clazz_id, entries, reason);
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
  const rows = changes.map(({ after }) => after);
  const students = rows.map((row) => row.student_id);
  const tellRelations = await watchRelations(session, clazz_id, { students });
  store(session, clazz_id, rows);
  movePeriods(session, clazz_id, changes, closed_at ?? null);
  expectStudents(session, clazz_id, students);
  await tell(session, clazz_id, changes, reason ?? null);
  await tellRelations();
  await enrolmentsChanged(session, clazz_id, changes);
};
