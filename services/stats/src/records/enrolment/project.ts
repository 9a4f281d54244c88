import { clazzEvents } from '@teaching/contracts';
import { always, eventsOf, p, sequenceOf } from '@teaching/kit';
import { projection } from '../projection.ts';
import { ENROLMENT } from './table.ts';

/** As Postgres reads a `tstzmultirange`. */
const multirange = (periods: readonly { since: string; until: string | null }[]): string =>
  `{${periods
    .filter(({ since, until }) => until === null || until > since)
    .map(({ since, until }) => `[${since},${until ?? ''})`)
    .join(',')}}`;

export const enrolments = projection(ENROLMENT, {
  keeps: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, clazzEvents.enrolmentChanged).flatMap((event) =>
      event.data.enrolments.map((enrolment) => {
        const during = multirange(enrolment.periods);
        return { ...enrolment, org_id: event.orgid, during, seq: sequenceOf(event) };
      }),
    ),
  // When somebody's belonging to a class came or went.
  store: (upsert) => `
    with stored as (
      ${upsert}
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
    select org_id, clazz_id, changed as during from stored where changed <> '{}'`,
  shape: {
    ...ENROLMENT.some('org_id', 'clazz_id').shape,
    during: always(p.text().columnType('tstzmultirange')),
  },
  touched: (_told, changed) => ({ enrolments: [...changed] }),
});
