import { type Session, statement } from '@teaching/kit';
import { ENROLMENT_PERIOD } from '../record/enrolment-period.table.ts';
import { type EnrolmentChange, periodSteps } from './enrolment.rules.ts';
import { openSince } from './period.rules.ts';

/** A period that would last no time is as if it had never been. */
const FORGET = statement(
  `delete from enrolment_period where org_id = $1 and enrolment_id = any($2::uuid[])
     and upper_inf(during) and lower(during) >= $3`,
);
const CLOSE = statement(
  `update enrolment_period set during = tstzrange(lower(during), $3)
   where org_id = $1 and enrolment_id = any($2::uuid[]) and upper_inf(during)`,
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

/** Lets the time that students belong to the class follow their enrolments; `closed_at` when it is reopened. */
export const movePeriods = (session: Session, changes: readonly EnrolmentChange[], closed_at: string | null): void => {
  const { org_id, now } = session;
  const { open, close } = periodSteps(changes, now);
  if (close.length > 0) {
    session.run(FORGET, org_id, close, now);
    session.run(CLOSE, org_id, close, now);
  }
  const ids = open.map((row) => row.id);
  if (ids.length > 0 && closed_at !== null) {
    session.run(REOPEN, org_id, ids, closed_at);
    session.run(REMEMBER, org_id, ids, closed_at);
    return;
  }
  const rows = open.map(({ id, clazz_id, student_id, from }) => ({
    org_id,
    enrolment_id: id,
    clazz_id,
    student_id,
    during: openSince(from),
  }));
  session.insert(ENROLMENT_PERIOD, ...rows);
};
