import type { Finding } from './hot-plans.ts';

/** A statement that may read more rows of a table than the bound, and why. */
interface Allowed {
  table: string;
  /** Matches the text of the statement. */
  text: RegExp;
  /** Matches the index condition, where only that index is allowed. */
  by?: RegExp;
  because: string;
}

/** Tables with thousands of rows per organization. A filtered page reads along its sort order until it is full. */
const FILTERED_LISTS = [
  ['clazz.clazz', /\b(lower\(name\) like|status = |course_id = any|lead_teacher_id = )/],
  ['course.course', /\b(search like|status = |teacher_id = \$|category_id = \$)/],
  ['course.course_group', /\b(search like|org_visible|owner_id = \$)/],
  ['clazz.member', /\b(search like|any \(roles\)|status = \$)/],
  ['course.lianxi', /l\.(search like|course_id = |course_section_id = |clazz_id = |teacher_id = )/],
  ['course.jihua', /j\.(search like|teacher_id = )/],
  ['clazz.hour_entry', /hour_entry e cross join .*where .*\be\.(kind|created_at|student_id|lesson_id) /],
  ['package.course_package', /\b(search like|active|published_at is not null|teacher_id = \$)/],
] as const;

export const ALLOWED_SCANS: readonly Allowed[] = [
  ...FILTERED_LISTS.map(([table, text]) => ({
    table,
    text: new RegExp(`sort_id from .*${text.source}`),
    because:
      'a filtered list reads along its sort order until the page is full; the contract says that the list bounds it',
  })),
  {
    table: 'clazz.lesson',
    text: /sort_id from lesson l join (clazz c|lateral)/,
    by: /lesson_scheduled .*starts_at </,
    because: 'scheduled lessons that have begun are the lessons without a roll call, which the request asks for',
  },
  {
    table: 'clazz.lesson',
    // A filter by one class, teacher, room or student uses another index.
    text: /sort_id from lesson l join lateral (?!.*l\.(clazz_id|teacher_id|room) = \$)(?!.*make_up_credit c where c\.org_id = \$)/,
    by: /lesson_time/,
    because: 'lessons of all classes are read by start until the page is full, at most those of the requested time',
  },
  {
    table: 'clazz.lesson',
    text: /from lesson l where l\.override and/,
    by: /^lesson_override/,
    because: 'lessons kept in spite of a clash are few; they are read by start until the page is full',
  },
  ...['clazz.lesson', 'clazz.clazz'].map((table) => ({
    table,
    text: /as fullness from lesson l join clazz c/,
    by: /lesson_scheduled .*starts_at >=.*starts_at <|clazz_pkey/,
    because:
      'lessons that could make up for another are read by start until the page is full, at most up to the expiry of the credit',
  })),
  {
    table: 'clazz.lesson',
    text: /^select distinct room from lesson/,
    by: /^lesson_room /,
    because: 'a new name of a room is compared with those of all lessons ahead, which is rare and counts as 5 requests',
  },
  {
    table: 'clazz.lesson',
    text: /select distinct l\.teacher_id, l\.room from w cross join lateral/,
    by: /^lesson_time .*starts_at >/,
    because: 'free rooms and teachers are those that no lesson needs which begins in the 24 hours before the end',
  },
  {
    table: 'clazz.hour_lot',
    text: /exists \(select from hour_lot where org_id = \$\d and open and expires_at <= \$\d\)/,
    by: /^hour_lot_due .*expires_at <=/,
    because: 'the scan ends at the first row that is due',
  },
  ...['hour_account', 'member', 'hour_draw', 'hour_lot', 'enrolment'].map((table) => ({
    table: `clazz.${table}`,
    text: /sort_id from hour_account a /,
    because: 'balances change with every roll call and have no index; the contract says that a page reads all accounts',
  })),
  {
    table: 'clazz.hour_entry',
    text: /group by 1, e\.currency, l\.package_id/,
    by: /^hour_entry_at .*created_at >=.*created_at </,
    because: 'the sums of a range of days need exactly these entries',
  },
  {
    table: 'clazz.hour_lot',
    text: /select distinct (org_id|student_id) from hour_lot where .*open/,
    because: 'the hourly job reads the lots that expired since its last run',
  },
  ...['clazz.member', 'course.course', 'course.course_group', 'course.submission'].map((table) => ({
    table,
    text: /sort_id from (member|course c|course_group g|submission s) .*(= any\(\$\d\)|roles && \$\d)/,
    because:
      'with several values of a filter the list is read in its order until the page is full; one value has an index',
  })),
  ...['clazz.enrolment', 'clazz.clazz'].map((table) => ({
    table,
    text: /^with waited as/,
    by: /enrolment_(waiting|clazz)|clazz_pkey/,
    because: 'a job judges every waiting list of all organizations',
  })),
  {
    table: 'clazz.clazz_audit_log',
    text: /sort_id from clazz_audit_log a /,
    by: /clazz_audit_log_(pkey|entity)/,
    because:
      'the audit log of an organization is read by number until the page is full; one record or person has an index',
  },
  ...['clazz.lesson', 'clazz.clazz'].map((table) => ({
    table,
    text: /as s \(from_at, to_at\)/,
    by: /starts_at > .*starts_at <|clazz_(name|pkey)/,
    because: 'a closure reads the lessons of its range and may concern every class',
  })),
  ...['clazz.staff_period', 'clazz.member'].map((table) => ({
    table,
    text: /'TEACHER' = any\(roles\)/,
    because: 'every teacher of the org may be the substitute',
  })),
  {
    table: 'clazz.leave',
    text: /sort_id from leave v /,
    by: /leave_requested/,
    because: 'leave filtered by its lessons is read by time of request, newest first, until the page is full',
  },
  {
    table: 'course.daka',
    text: /sort_id from daka d /,
    by: /daka_of_org .*local_date >=.*local_date <=/,
    because: 'check-ins of some days are read by day until the page is full',
  },
  {
    table: 'course.submission',
    text: /sort_id from submission s .*claim/,
    by: /submission_queue/,
    because: 'the queue skips submissions that other teachers are marking',
  },
  {
    table: 'stats.lot',
    text: /as expiring_30d/,
    by: /lot_expiry .*expires_at <=/,
    because: 'the sum of hours that expire within 30 days needs exactly these lots',
  },
  {
    table: 'clazz.clazz_audit_log',
    text: /clazz_ids @> array/,
    by: /clazz_audit_log_(pkey|entity)/,
    because: 'row-level security prevents the use of an array index: the audit log is read backwards to find lists',
  },
  {
    table: 'clazz.policy',
    text: /update policy/,
    because: 'never executed: a policy is replaced by its next version',
  },
];

/** Rows behind a figure are read along the requested time, and a filter by class skips the others. */
const isExplanation = ({ service, text }: Finding): boolean => service === 'stats' && text.includes('sort_key');

export const isAllowed = (found: Finding): boolean =>
  isExplanation(found) ||
  ALLOWED_SCANS.some(
    ({ table, text, by }) =>
      table === `${found.service}.${found.table}` && text.test(found.text) && by?.test(found.by) !== false,
  );
