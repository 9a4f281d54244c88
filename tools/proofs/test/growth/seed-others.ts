import { idOf } from './seed-clazz.ts';

/* Rows of the other services. The statistics contain the records of the class service in generation 1. */

const each = (many: string): string => `from school o cross join lateral generate_series(1, (${many})::int) n`;
const AT = "timestamptz '2029-01-01' + n * interval '1 second'";

export const COURSE_SEED = [
  `insert into course.course_category (org_id, id, name, created_at, updated_at)
   select org_id, ${idOf('category')}, 'Category ' || n, ${AT}, ${AT} ${each('20')}`,
  `insert into course.course (org_id, id, title, category_id, teacher_id, status, created_at, updated_at)
   select org_id, ${idOf('course', 'n - 1')}, 'Course ' || n, ${idOf('category', 'n % 20 + 1')}, 't-' || n % (k / 10), 'active',
     ${AT}, ${AT} ${each('wide')}`,
  `insert into course.course_section (org_id, id, course_id, title, position, created_at, updated_at)
   select org_id, ${idOf('section')}, ${idOf('course', '(n - 1) / 5')}, 'Section ' || n, n % 5, ${AT}, ${AT} ${each('wide * 5')}`,
  `insert into course.course_group (org_id, id, name, owner_id, org_visible, created_at, updated_at)
   select org_id, ${idOf('group')}, 'Group ' || n, 't-' || n % (k / 10), n % 2 = 0, ${AT}, ${AT} ${each('wide')}`,
  `insert into course.course_group_course (org_id, group_id, course_id, position)
   select org_id, ${idOf('group', '(n - 1) / 3 + 1')}, ${idOf('course', 'n % wide')}, n % 3 ${each('wide * 3')}`,
  `insert into course.member (org_id, user_id, role, display_name, seq)
   select org_id, user_id, role, display_name, 1 from clazz.member`,
  `insert into course.lianxi (org_id, id, course_id, course_section_id, teacher_id, title, content, question_count, total_points,
     clazz_id, created_at, updated_at)
   select org_id, ${idOf('lianxi')}, ${idOf('course', 'n % wide')}, ${idOf('section', 'n % wide * 5 + 1')}, 't-' || n % (k / 10),
     'Practice ' || n, '{}', 1, 1, case when n % 2 = 0 then ${idOf('clazz', 'n % (k / 5)')} end, ${AT}, ${AT} ${each('wide * 2')}`,
  `insert into course.lianxi_student (org_id, lianxi_id, student_id)
   select distinct org_id, ${idOf('lianxi', '(n - 1) / 5 + 1')}, left(o.org_id::text, 8) || ' s-' || n % k ${each('wide * 10')}`,
  `insert into course.lianxi_extension (org_id, lianxi_id, student_id, due_at, granted_by, updated_at)
   select org_id, ${idOf('lianxi')}, left(o.org_id::text, 8) || ' s-' || n % k, ${AT}, 't-0', ${AT} ${each('wide')}`,
  `insert into course.submission (org_id, id, lianxi_id, teacher_id, student_id, attempt, answers, submitted_at, status, revision)
   select org_id, ${idOf('submission')}, ${idOf('lianxi', 'n % (wide * 2) + 1')}, 't-' || n % (k / 10), left(o.org_id::text, 8) || ' s-' || n % k, n, '[]',
     ${AT}, case when n % 50 = 0 then 'submitted' else 'marked' end, case when n % 50 = 0 then 0 else 1 end ${each('k * 10')}`,
  `insert into course.mark_revision (org_id, submission_id, revision, score, points, marked_at)
   select org_id, ${idOf('submission')}, 1, 1, '{}', ${AT} ${each('k * 10')} where n % 50 <> 0`,
  `insert into course.jihua (org_id, id, teacher_id, title, starts_on, ends_on, zone, backfill_days, planned_dates, created_at,
     updated_at)
   select org_id, ${idOf('jihua')}, 't-' || n % (k / 10), 'Plan ' || n, '2029-01-01', '2030-01-01', 'UTC', 2, '{}', ${AT}, ${AT}
   ${each('wide')}`,
  `insert into course.jihua_student (org_id, jihua_id, student_id)
   select distinct org_id, ${idOf('jihua', 'n % wide + 1')}, left(o.org_id::text, 8) || ' s-' || n % k ${each('k * 2')}`,
  `insert into course.daka (org_id, id, jihua_id, student_id, local_date, backfilled, created_at, updated_at)
   select org_id, ${idOf('daka')}, ${idOf('jihua', 'n % wide + 1')}, left(o.org_id::text, 8) || ' s-' || n % k, date '2029-01-01' + n / 100, false, ${AT}, ${AT}
   ${each('k * 10')} on conflict do nothing`,
];

export const PACKAGE_SEED = [
  `insert into package.course_package (org_id, id, teacher_id, title, price_minor, currency, total_hours, active, published_at,
     published_snapshot, published_version, created_at, updated_at)
   select org_id, ${idOf('package', 'n - 1')}, 't-' || n % (k / 10), 'Package ' || n, n, 'EUR', 10, n % 4 > 0, ${AT}, '{}', 1,
     ${AT}, ${AT} ${each('wide')}`,
  `insert into package.course_package_item (org_id, id, package_id, course_id, title, hours, position)
   select org_id, ${idOf('item')}, ${idOf('package', '(n - 1) / items')}, ${idOf('course', 'n % wide')}, 'Item ' || n, 1, n % items
   ${each('wide * items')}`,
  `insert into package.course_package_version (org_id, package_id, number, snapshot, published_at, published_by)
   select org_id, ${idOf('package', '(n - 1) / 2')}, n % 2 + 1, '{}', ${AT}, 't-0' ${each('wide * 2')}`,
];

const COUNTS =
  'scheduled, held, hours_taught, roll_calls_in_time, seats, unmarked, guests, present, late, absent, leave, makeup, trial, hours_consumed';
const ZEROS = '1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0';

export const STATS_SEED = [
  `insert into stats.clazz (org_id, gen, id, name, status, lead_teacher_id, seq)
   select org_id, 1, id, name, status, lead_teacher_id, 1 from clazz.clazz`,
  `insert into stats.lesson (org_id, gen, id, clazz_id, teacher_id, starts_at, ends_at, hours, status, version, seq)
   select org_id, 1, id, clazz_id, teacher_id, starts_at, ends_at, hours, status, version, 1 from clazz.lesson`,
  `insert into stats.mark (org_id, gen, lesson_id, student_id, mark, marked_by, marked_at, charged_hours, revision, seq, clazz_id,
     at, counts)
   select m.org_id, 1, lesson_id, student_id, mark, marked_by, marked_at, 1, 1, 1, clazz_id, starts_at, true
   from clazz.mark_revision m join clazz.lesson l on l.org_id = m.org_id and l.id = m.lesson_id`,
  `insert into stats.roll_call (org_id, gen, lesson_id, taken_at)
   select org_id, 1, id, ends_at from clazz.lesson where status = 'held'`,
  `insert into stats.enrolment (org_id, gen, id, clazz_id, student_id, status, during, seq)
   select org_id, 1, id, clazz_id, student_id, status, tstzmultirange(tstzrange(since, null)), 1 from clazz.enrolment`,
  `insert into stats.leave (org_id, gen, id, clazz_id, lesson_id, student_id, status, in_time, requested_at, decided_by,
     decided_at, seq)
   select o.org_id, 1, v.id, clazz_id, lesson_id, student_id, status, true, requested_at,
     case when status <> 'pending' then 't-' || extract(epoch from requested_at)::bigint % (k / 10) end, requested_at, 1
   from clazz.leave v join school o on o.org_id = v.org_id`,
  `insert into stats.entry (org_id, gen, id, student_id, kind, amount, lesson_id, created_at)
   select org_id, 1, id, student_id, kind, amount, lesson_id, created_at from clazz.hour_entry`,
  `insert into stats.lot (org_id, gen, id, student_id, kind, remaining, expires_at, seq)
   select org_id, 1, id, student_id, kind, remaining, expires_at, 1 from clazz.hour_lot`,
  `insert into stats.marking (org_id, gen, submission_id, marker_id, student_id, submitted_at, marked_at, revision, clazz_id)
   select org_id, 1, ${idOf('submission')}, 't-' || n % (k / 10), left(o.org_id::text, 8) || ' s-' || n % k, ${AT}, ${AT}, 1, ${idOf('clazz', 'n % (k / 5)')}
   ${each('k * 10')}`,
  `insert into stats.member (org_id, gen, user_id, display_name, seq)
   select org_id, 1, user_id, display_name, 1 from course.member`,
  `insert into stats.account (org_id, gen, student_id, granted, consumed, balance, seq)
   select org_id, 1, student_id, granted, consumed, balance, 1 from clazz.hour_account`,
  `insert into stats.clazz_figure (org_id, gen, clazz_id, at, teacher_id, ${COUNTS})
   select distinct org_id, 1, clazz_id, starts_at, teacher_id, ${ZEROS} from clazz.lesson`,
  `insert into stats.org_figure (org_id, gen, at, ${COUNTS})
   select distinct org_id, 1, starts_at, ${ZEROS} from clazz.lesson`,
  `insert into stats.org_account (org_id, gen) select org_id, 1 from school`,
];
