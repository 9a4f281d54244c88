import { migration } from '@teaching/kit';

/**
 * Guests are expected at a lesson like its members. An override for a teacher or room does not apply to students.
 * Unmarked students of a held lesson are stored. Former bookings, decisions and their cancellation are stored as well.
 */
export const guestsAndMarksThatStay = migration(
  '108_guests_and_marks_that_stay',
  `
  alter table make_up_credit
    -- The lesson it was booked for until that lesson or the leave ended, and when: it returns with them.
    add column ended_lesson_id uuid,
    add column ended_at timestamptz(3),
    add foreign key (org_id, ended_lesson_id) references lesson on delete set null (ended_lesson_id);
  create index make_up_ended on make_up_credit (org_id, ended_lesson_id) where ended_lesson_id is not null;

  alter table leave
    add column cancelled_by text,
    add column cancelled_at timestamptz(3);
  -- The user who cancelled had been written over the user who decided.
  update leave set cancelled_by = decided_by, cancelled_at = decided_at
  where status = 'cancelled' and ended_from is null;
  create index leave_ended on leave (org_id, lesson_id, student_id) where ended_from is not null;

  alter table lesson_student
    drop constraint lesson_student_free,
    -- On leave from this lesson: free to make up at another one at the same time.
    add column excused boolean not null default false,
    -- The lesson was held and this student, who was listed then, has no mark.
    add column unmarked boolean not null default false;

  -- Everybody with a mark that stands, and everybody who is booked.
  insert into lesson_student (org_id, lesson_id, clazz_id, student_id, starts_at, ends_at, override)
  select l.org_id, l.id, l.clazz_id, c.student_id, l.starts_at, l.ends_at, false
  from make_up_credit c join lesson l on l.org_id = c.org_id and l.id = c.lesson_id and l.status <> 'cancelled'
  on conflict do nothing;
  update lesson_student s set excused = true
  where exists (select from leave v where v.org_id = s.org_id and v.lesson_id = s.lesson_id
    and v.student_id = s.student_id and (v.status = 'approved' or v.ended_from = 'approved'));
  -- Students who clash today, as guests or by an exception, may finish what is booked; nothing new may be like it.
  update lesson_student s set override = exists (
    select from lesson_student o where o.person = s.person and o.lesson_id <> s.lesson_id
      and not o.excused and not s.excused
      and tstzrange(o.starts_at, o.ends_at) && tstzrange(s.starts_at, s.ends_at))
  where s.override or exists (select from make_up_credit c where c.org_id = s.org_id
    and c.lesson_id = s.lesson_id and c.student_id = s.student_id);
  alter table lesson_student
    add constraint lesson_student_free
      exclude using gist (person with =, tstzrange(starts_at, ends_at) with &&)
      where (not override and not excused) deferrable initially immediate;

  -- A student who was enrolled after the roll call of a lesson is not missed there.
  update lesson_student s set unmarked = true
  from lesson l
  where l.org_id = s.org_id and l.id = s.lesson_id and l.status = 'held'
    and coalesce((select m.mark from mark_revision m where m.org_id = s.org_id and m.lesson_id = s.lesson_id
      and m.student_id = s.student_id order by m.revision desc limit 1), '') = ''
    and exists (select from enrolment e where e.org_id = s.org_id and e.clazz_id = s.clazz_id
      and e.student_id = s.student_id and e.created_at
        < (select min(m.marked_at) from mark_revision m where m.org_id = s.org_id and m.lesson_id = s.lesson_id));
  create index lesson_student_unmarked on lesson_student (org_id, lesson_id) where unmarked;
`,
);
