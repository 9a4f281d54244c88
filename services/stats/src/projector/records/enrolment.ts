import { clazzEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { bySeq, recordKind } from '../record-kind.ts';

interface EnrolmentRow {
  org_id: string;
  id: string;
  clazz_id: string;
  student_id: string;
  status: string;
  /** `tstzmultirange` text. */
  during: string;
  seq: number;
}

/** When somebody's belonging to a class came or went. */
export interface EnrolmentChange {
  org_id: string;
  clazz_id: string;
  changed: string;
}

const multirange = (periods: readonly { since: string; until: string | null }[]): string =>
  `{${periods
    .filter(({ since, until }) => until === null || until > since)
    .map(({ since, until }) => `[${since},${until ?? ''})`)
    .join(',')}}`;

export const enrolments = recordKind<EnrolmentRow>()<EnrolmentChange>({
  columns: {
    org_id: 'uuid',
    id: 'uuid',
    clazz_id: 'uuid',
    student_id: 'text',
    status: 'text',
    during: 'tstzmultirange',
    seq: 'bigint',
  },
  key: ({ id }) => id,
  isLater: bySeq,
  states: (batch) =>
    eventsOf(batch, clazzEvents.enrolmentChanged).flatMap((event) =>
      event.data.enrolments.map(({ id, clazz_id, student_id, status, periods }) => {
        const during = multirange(periods);
        return { org_id: event.orgid, id, clazz_id, student_id, status, during, seq: sequenceOf(event) };
      }),
    ),
  store: ({ names, rows, replaced }) => `
    with stored as (
      insert into enrolment (gen, ${names}) select $1, ${names} from ${rows}
      on conflict (org_id, gen, id) do update set ${replaced} where enrolment.seq < excluded.seq
      returning new.org_id, new.clazz_id, new.student_id,
        (new.during - coalesce(old.during, '{}')) + (coalesce(old.during, '{}') - new.during) as changed,
        (new.status = 'active')::int - coalesce((old.status = 'active')::int, 0) as active
    ), student as (
      select org_id, student_id, sum(active) as more, (
        -- As it was: what this statement stores is not in its own sight.
        select count(*) from enrolment as e
        where e.org_id = stored.org_id and e.gen = $1 and e.student_id = stored.student_id and e.status = 'active'
      ) as before
      from stored group by org_id, student_id having sum(active) <> 0
    ), org as (
      insert into org_account (gen, org_id, students_active)
      select $1, org_id, sum((before + more > 0)::int - (before > 0)::int) from student group by org_id
      on conflict (org_id, gen) do update set students_active = org_account.students_active + excluded.students_active
    )
    select org_id, clazz_id, changed from stored where changed <> '{}'`,
});
