import { batchedUpdate, migration, ROW_RANGE, stepwise, tenantTable } from '@teaching/kit';

/**
 * Leave records the enrolment with which it ended, because moving its lesson must not restore it then. Every ended
 * booking of a credit is stored, not only the last one: whatever it was booked for belongs to that lesson or class when
 * it is restored. A trigger stores it, so that bookings which instances of 0.2.0 end are not lost.
 */
export const endedMembershipsAndBookings = migration(
  '135_ended_memberships_and_bookings',
  `
  alter table leave add column ended_enrolment_id uuid;
  -- When the membership ended last. An enrolment that had not begun has no period that tells it.
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
  insert into ended_booking (org_id, leave_id, lesson_id, ended_at)
  select org_id, leave_id, ended_lesson_id, ended_at from make_up_credit
  where ended_lesson_id is not null and ended_at is not null and ended_lesson_id is distinct from lesson_id;

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

/**
 * The same for rows of 0.2.0. Leave that ended while its lesson was not cancelled ended with a membership, and a guest is
 * expected at the booked lesson, also one who had leave from it as a member of its class.
 */
export const earlierEndedMemberships = stepwise(
  '138_earlier_ended_memberships',
  batchedUpdate(
    'leave',
    `update leave set ended_enrolment_id = (
       select e.id from enrolment e where e.org_id = leave.org_id and e.clazz_id = leave.clazz_id
         and e.student_id = leave.student_id and e.created_at <= leave.requested_at order by e.seq desc limit 1)
     where ${ROW_RANGE} and ended_from is not null and ended_enrolment_id is null
       and exists (select from lesson l
         where l.org_id = leave.org_id and l.id = leave.lesson_id and l.status <> 'cancelled')
       and exists (select from enrolment e where e.org_id = leave.org_id and e.clazz_id = leave.clazz_id
         and e.student_id = leave.student_id and e.created_at <= leave.requested_at)`,
  ),
  batchedUpdate(
    'lesson_student',
    `update lesson_student set excused = false, override = override or exists (
       select from lesson_student o where o.person = lesson_student.person and o.lesson_id <> lesson_student.lesson_id
         and tstzrange(o.starts_at, o.ends_at) && tstzrange(lesson_student.starts_at, lesson_student.ends_at))
     where ${ROW_RANGE} and excused and exists (select from make_up_credit c where c.org_id = lesson_student.org_id
       and c.lesson_id = lesson_student.lesson_id and c.student_id = lesson_student.student_id)`,
  ),
);
