/*
 * Rows of the class service. `school` contains each organization with its number of students `k`. Each student has 10
 * lessons, 10 leave requests and 50 hour entries. A class has 10 students and 50 lessons, of which `held` were held,
 * with `marked` marked students each. A teacher has two classes. Rows are spread evenly, so the rows of one class,
 * student or teacher do not grow with the organization.
 */

/** A from clause in which `n` counts from 1 to `many` in each organization. */
const each = (many: string): string => `from school o cross join lateral generate_series(1, (${many})::int) n`;
/** The id of the n-th record of a kind in an organization. */
export const idOf = (kind: string, n = 'n'): string => `md5('${kind} ' || o.org_id || ' ' || (${n}))::uuid`;
const CLAZZ_OF_LESSON = 'n % (k / 5)';
/** The ten students of a class: five have it as their first class, five as their second. */
const STUDENT = "left(o.org_id::text, 8) || ' s-' || ((n - j / 5) % (k / 5) + (k / 5) * (j % 5))";
/** The day of a lesson: every third day. Held lessons are before the date that the seed uses as today. */
const DAY = '(n / (k / 5))';
const STARTS = `timestamptz '2030-01-01' + (${DAY} * 3 - 100) * interval '1 day' + (n % (k / 5)) / (k / 10) * interval '2 hours'`;
const IS_PAST = `${DAY} < held`;

export const CLAZZ_SEED = [
  `insert into clazz.member (org_id, user_id, role, roles, display_name, created_at, updated_at)
   select org_id, left(o.org_id::text, 8) || ' s-' || n, 'STUDENT', '{STUDENT}', 'Name ' || n, '2029-06-01', '2029-06-01'
   ${each('k')}`,
  `insert into clazz.clazz (org_id, id, name, lead_teacher_id, zone, status, created_at, updated_at, course_id,
     course_package_id, capacity)
   select org_id, ${idOf('clazz', 'n - 1')}, 'Class ' || n, 't-' || (n - 1) % (k / 10), 'UTC', 'active',
     timestamptz '2029-01-01' + n * interval '1 minute', timestamptz '2029-06-01' + n * interval '1 minute',
     ${idOf('course', 'n % greatest(k / 10, 2)')}, ${idOf('package', 'n % greatest(k / 10, 2)')}, 20 ${each('k / 5')}`,
  `insert into clazz.staff_period (org_id, id, clazz_id, teacher_id, role, during)
   select org_id, ${idOf('staff')}, ${idOf('clazz', 'n % (k / 5)')}, 't-' || (n + n / (k / 5)) % (k / 10),
     case when n <= k / 5 then 'lead' else 'assistant' end, tstzrange(null, null) ${each('k / 5 * 2')}`,
  `insert into clazz.enrolment (org_id, id, clazz_id, student_id, status, since, created_at)
   select org_id, ${idOf('enrolment')}, ${idOf('clazz', '(n + n / k) % (k / 5)')}, left(o.org_id::text, 8) || ' s-' || n % k,
     (array['active', 'active', 'active', 'completed', 'waiting'])[n % 5 + 1], '2029-06-01', '2029-06-01' ${each('k * 2')}`,
  `insert into clazz.enrolment_period (org_id, enrolment_id, clazz_id, student_id, during)
   select org_id, id, clazz_id, student_id, tstzrange(since, null) from clazz.enrolment where status <> 'waiting'`,
  `insert into clazz.series (org_id, id, clazz_id, starts_on, start_time, duration_minutes, zone, rrule, created_at)
   select org_id, ${idOf('series', 'n - 1')}, ${idOf('clazz', 'n - 1')}, '2029-06-01', '10:00', 60, 'UTC', 'FREQ=DAILY',
     '2029-01-01' ${each('k / 5')}`,
  `insert into clazz.lesson (org_id, id, clazz_id, series_id, teacher_id, room, starts_at, ends_at, zone, hours, status,
     created_at, updated_at, override)
   select org_id, ${idOf('lesson')}, ${idOf('clazz', CLAZZ_OF_LESSON)}, ${idOf('series', CLAZZ_OF_LESSON)},
     't-' || ${CLAZZ_OF_LESSON} % (k / 10), case when n % 2 = 0 then 'room ' || ${CLAZZ_OF_LESSON} end,
     ${STARTS}, ${STARTS} + interval '1 hour', 'UTC', 1,
     case when n % 37 = 0 then 'cancelled' when ${IS_PAST} and n % 1000 <> 1 then 'held' else 'scheduled' end,
     '2029-01-01', '2029-01-01', ${IS_PAST} ${each('k * 10')}`,
  `insert into clazz.lesson_student (org_id, lesson_id, clazz_id, student_id, starts_at, ends_at, override, unmarked)
   select org_id, ${idOf('lesson')}, ${idOf('clazz', CLAZZ_OF_LESSON)}, ${STUDENT}, ${STARTS},
     ${STARTS} + interval '1 hour', ${IS_PAST}, n % 1000 = 2 and j = 0
   ${each('k * 10')} cross join lateral generate_series(0, marked - 1) j where n % 37 <> 0`,
  `insert into clazz.mark_revision (org_id, lesson_id, student_id, revision, mark, lesson_hours, charged_hours,
     policy_version, marked_by, marked_at)
   select org_id, ${idOf('lesson')}, ${STUDENT}, 1, 'present', 1, 1, 1, 't-0', ${STARTS}
   ${each('k * 10')} cross join lateral generate_series(0, marked - 1) j where ${IS_PAST} and n % 37 <> 0`,
  `insert into clazz.leave (org_id, id, clazz_id, lesson_id, student_id, status, ended_from, in_time, reason, requested_by,
     requested_at, policy_version)
   select org_id, ${idOf('leave')}, ${idOf('clazz', CLAZZ_OF_LESSON)}, ${idOf('lesson')},
     left(o.org_id::text, 8) || ' s-' || (n % (k / 5) + (k / 5) * (n % 5)),
     case when n % 400 = 0 then 'pending' when n % 10 < 6 then 'approved' when n % 10 < 8 then 'rejected' else 'cancelled' end,
     case when n % 10 = 9 and n % 400 <> 0 then 'approved' end, true, 'ill', 's-1',
     timestamptz '2029-01-01' + n * interval '1 second', 1 ${each('k * 10')}`,
  `insert into clazz.make_up_credit (org_id, leave_id, student_id, status, expires_at, lesson_id, ended_lesson_id, ended_at)
   select org_id, ${idOf('leave')}, left(o.org_id::text, 8) || ' s-' || (n % (k / 5) + (k / 5) * (n % 5)),
     case when n % 20 = 1 then 'used' else 'available' end, '2031-01-01', case when n % 20 = 1 then ${idOf('lesson', 'n + 1')} end,
     case when n % 20 = 2 then ${idOf('lesson', 'n + 1')} end, case when n % 20 = 2 then timestamptz '2029-06-01' end
   ${each('k * 10 - 1')} where n % 10 in (1, 2)`,
  `insert into clazz.ended_booking (org_id, leave_id, lesson_id, ended_at)
   select org_id, leave_id, ended_lesson_id, ended_at from clazz.make_up_credit where ended_lesson_id is not null`,
  `insert into clazz.hour_lot (org_id, student_id, id, seq, kind, granted, remaining, price_minor, currency, package_id,
     package_version, expires_at, created_at)
   select org_id, left(o.org_id::text, 8) || ' s-' || n % k, ${idOf('lot')}, n / k + 1, 'paid', 100, case when n % 3 = 0 then 0 else 20 end, 1000, 'EUR',
     ${idOf('package', 'n % greatest(k / 10, 2)')}, 1, timestamptz '2029-12-31' + n % 1000 * interval '1 day', '2029-01-01'
   ${each('k * 3')}`,
  `insert into clazz.hour_entry (org_id, student_id, seq, id, kind, lot_id, amount, balance_before, balance_after, lesson_id,
     mark_revision, actor_id, created_at)
   select org_id, left(o.org_id::text, 8) || ' s-' || n % k, (n - 1) / k + 1, ${idOf('entry')}, case when n <= k then 'grant' else 'consume' end,
     ${idOf('lot', 'n % k + 1')}, case when n <= k then 100 else -1 end,
     case when n <= k then 0 else 102 - ((n - 1) / k + 1) end, 101 - ((n - 1) / k + 1),
     case when n > k then ${idOf('lesson', 'n % (k * 10) + 1')} end, case when n > k then n / (k * 10) + 1 end, 't-0',
     timestamptz '2029-01-01' + (n / k) * interval '1 day' ${each('k * 50')}`,
  `insert into clazz.hour_account (org_id, student_id, last_seq, balance, granted, consumed)
   select org_id, left(o.org_id::text, 8) || ' s-' || (n - 1), 50, 51, 100, 49 ${each('k')}`,
  `insert into clazz.hour_draw (org_id, student_id, id, seq, lesson_id, mark_revision, lot_id, amount)
   select org_id, left(o.org_id::text, 8) || ' s-' || n % k, ${idOf('draw')}, n / k + 2, ${idOf('lesson')}, 1,
     null, 1 ${each('k * 10')} where n % 97 = 0`,
  `insert into clazz.refund_quote (org_id, id, student_id, quote, created_at, created_by)
   select org_id, ${idOf('quote')}, left(o.org_id::text, 8) || ' s-' || n % k, '{}', '2029-01-01', 't-0' ${each('k / 5')}`,
  `insert into clazz.clazz_audit_log (org_id, seq, id, clazz_id, clazz_ids, action, entity, entity_id, actor_id, actor_roles,
     occurred_at, request_id, trace_id, changes, event_id, prev_hash, hash)
   select org_id, n, ${idOf('audit')}, case when n % 4 > 0 then ${idOf('clazz', CLAZZ_OF_LESSON)} end,
     case when n % 4 = 0 then array[${idOf('clazz', CLAZZ_OF_LESSON)}, ${idOf('clazz', `(n + 1) % (k / 5)`)}] end,
     'read', 'lesson', '', 't-' || n % (k / 10), '{TEACHER}', timestamptz '2029-01-01' + n * interval '1 second', '', '', '{}',
     ${idOf('event')}, '', '' ${each('k * 20')}`,
  `insert into clazz.audit_head (org_id, entries, hash) select org_id, k * 20, '' from school`,
  // Verified today, so no job recomputes these chains.
  `insert into clazz.audit_verified (org_id, entries, hash, began_at, from_first, is_done, whole_entries, whole_hash, whole_at, first_at)
   select org_id, k * 20, '', now(), true, true, k * 20, '', now(), now() from school`,
  `insert into clazz.calendar_feed (org_id, user_id, student_id, secret_hash, created_at)
   select org_id, left(o.org_id::text, 8) || ' s-' || n, left(o.org_id::text, 8) || ' s-' || n, 'hash ' || n, '2029-01-01' ${each('k')}`,
  `insert into clazz.holiday (org_id, date, name) select org_id, date '2029-01-01' + n, '' ${each('30')}`,
  `insert into clazz.room (org_id, id, name, capacity, version, created_at, updated_at)
   select org_id, ${idOf('room')}, 'room ' || n, 30, 1, '2029-01-01', '2029-01-01' ${each('30')}`,
  `insert into clazz.policy (org_id, version, settings, created_at, created_by)
   select org_id, n + 1, '{}', '2029-01-01', 't-0' ${each('3')}`,
];
