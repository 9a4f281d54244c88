import { batchedUpdate, migration, ROW_RANGE, stepwise, tenantTable } from '@teaching/kit';

/**
 * Leave that ends with a membership stores the enrolment, because moving the lesson must not restore such leave. Every
 * ended booking of a credit is stored, not only the last one: it is restored together with the lesson or the class with
 * which it ended. A trigger stores ended bookings, so that those of instances of 0.2.0 are stored as well.
 */
export const endedMembershipsAndBookings = migration(
  '135_ended_memberships_and_bookings',
  `
  alter table leave add column ended_enrolment_id uuid;
  -- When the membership ended last. An enrolment that had not begun has no period, so no period contains this time.
  alter table enrolment add column left_at timestamptz(3);
  alter table lesson add column held_at timestamptz(3);

  create table ended_booking (
    org_id uuid not null,
    leave_id uuid not null,
    lesson_id uuid not null,
    ended_at timestamptz(3) not null,
    primary key (org_id, leave_id, lesson_id),
    foreign key (org_id, leave_id) references leave on delete cascade,
    foreign key (org_id, lesson_id) references lesson on delete cascade
  );
  create index ended_booking_lesson on ended_booking (org_id, lesson_id);
  ${tenantTable('clazz', 'ended_booking')}

  create function ended_bookings_stay() returns trigger language plpgsql as $$
    begin
      if new.lesson_id is not null then
        delete from clazz.ended_booking
        where org_id = new.org_id and leave_id = new.leave_id and lesson_id = new.lesson_id;
      end if;
      if new.ended_lesson_id = old.lesson_id then
        insert into clazz.ended_booking (org_id, leave_id, lesson_id, ended_at)
        values (new.org_id, new.leave_id, new.ended_lesson_id, new.ended_at)
        on conflict (org_id, leave_id, lesson_id) do update set ended_at = excluded.ended_at;
      end if;
      return null;
    end $$;
  create trigger bookings_end after update on make_up_credit
    for each row when (new.lesson_id is distinct from old.lesson_id) execute function ended_bookings_stay();
`,
);

/** SQL condition: the student of a row of `lesson_student` is a guest at its lesson. */
const isBooked = (row: string): string =>
  `exists (select from make_up_credit c where c.org_id = ${row}.org_id and c.lesson_id = ${row}.lesson_id
     and c.student_id = ${row}.student_id)`;

/**
 * The same for rows of 0.2.0. Leave that ended while its lesson was not cancelled ended with a membership. A guest is
 * expected at the booked lesson, even if the guest had leave from it as a member of its class. Where that makes a guest
 * clash, the constraint ignores the booking.
 */
export const earlierEndedMemberships = stepwise(
  '138_earlier_ended_memberships',
  batchedUpdate(
    'make_up_credit',
    `insert into ended_booking (org_id, leave_id, lesson_id, ended_at)
     select org_id, leave_id, ended_lesson_id, ended_at from make_up_credit
     where ${ROW_RANGE} and ended_lesson_id is not null and ended_at is not null
       and ended_lesson_id is distinct from lesson_id
     on conflict do nothing`,
  ),
  batchedUpdate(
    'leave',
    `update leave set ended_enrolment_id = joined.id from (select org_id, id from enrolment) as joined
     where ${ROW_RANGE} and ended_from is not null and ended_enrolment_id is null
       and joined.org_id = leave.org_id and joined.id = (
         select e.id from enrolment e where e.org_id = leave.org_id and e.clazz_id = leave.clazz_id
           and e.student_id = leave.student_id and e.created_at <= leave.requested_at order by e.seq desc limit 1)
       and exists (select from lesson l
         where l.org_id = leave.org_id and l.id = leave.lesson_id and l.status <> 'cancelled')`,
  ),
  batchedUpdate(
    'lesson_student',
    `update lesson_student set excused = false, override = override or exists (
       select from lesson_student o
       where o.org_id = lesson_student.org_id and o.student_id = lesson_student.student_id
         and o.lesson_id <> lesson_student.lesson_id and o.starts_at < lesson_student.ends_at
         and o.ends_at > lesson_student.starts_at and o.starts_at > lesson_student.starts_at - interval '24 hours'
         and not o.override and (not o.excused or ${isBooked('o')}))
     where ${ROW_RANGE} and excused and ${isBooked('lesson_student')}`,
  ),
);
