import type { Finding } from './hot-plans.ts';

/** Statements that may look at more rows of a table than the bound, and why. */
interface Allowed {
  table: string;
  /** What the text of the statement has. */
  text: RegExp;
  /** What the way to the rows has, where only that one is allowed. */
  by?: RegExp;
  because: string;
}

/** Of these an organization has thousands. A page that is filtered goes along its sort until it is full. */
const FEW = [
  ['clazz.clazz', /\b(lower\(name\) like|status = |course_id = any|lead_teacher_id = )/],
  ['course.course', /\b(search like|status = |teacher_id = \$|category_id = \$)/],
  ['course.course_group', /\b(search like|org_visible|owner_id = \$)/],
  ['clazz.member', /\b(search like|any \(roles\)|status = \$)/],
  ['course.lianxi', /l\.(search like|course_id = |course_section_id = |clazz_id = |teacher_id = )/],
  ['course.jihua', /j\.(search like|teacher_id = )/],
  ['clazz.hour_entry', /hour_entry e cross join .*where .*\be\.(kind|created_at|student_id|lesson_id) /],
  ['package.course_package', /\b(search like|active|published_at is not null|teacher_id = \$)/],
] as const;

export const ALLOWED: readonly Allowed[] = [
  ...FEW.map(([table, text]) => ({
    table,
    text: new RegExp(`sort_id from .*${text.source}`),
    because:
      'a filtered list goes along its sort until the page is full; the contract says that it is bounded by the list',
  })),
  {
    table: 'clazz.lesson',
    text: /sort_id from lesson l join (clazz c|lateral)/,
    by: /lesson_scheduled .*starts_at </,
    because: 'scheduled lessons that have begun are those that wait for roll call: what was asked for',
  },
  {
    table: 'clazz.lesson',
    // Who asks for one class, teacher, room or student goes by that.
    text: /sort_id from lesson l join lateral (?!.*l\.(clazz_id|teacher_id|room) = \$)(?!.*make_up_credit c where c\.org_id = \$)/,
    by: /lesson_time/,
    because:
      'lessons of all classes are looked at by start until the page is full, at most those of the time that was asked for',
  },
  {
    table: 'clazz.lesson',
    text: /from lesson l where l\.override and/,
    by: /^lesson_override/,
    because: 'lessons kept in spite of a clash are few; they are looked at by start until the page is full',
  },
  ...['clazz.lesson', 'clazz.clazz'].map((table) => ({
    table,
    text: /as fullness from lesson l join clazz c/,
    by: /lesson_scheduled .*starts_at >=.*starts_at <|clazz_pkey/,
    because:
      'what could make up for a lesson is looked at by start until the page is full, at most to the expiry of the credit',
  })),
  {
    table: 'clazz.hour_lot',
    text: /exists \(select from hour_lot where org_id = \$\d and open and expires_at <= \$\d\)/,
    by: /^hour_lot_due .*expires_at <=/,
    because: 'the first that is due says that some are',
  },
  ...['hour_account', 'member', 'hour_draw', 'hour_lot', 'enrolment'].map((table) => ({
    table: `clazz.${table}`,
    text: /sort_id from hour_account a /,
    because:
      'balances move with every roll call and are in no index; the contract says that a page goes through all accounts',
  })),
  {
    table: 'clazz.hour_entry',
    text: /group by e\.kind, e\.currency/,
    by: /^hour_entry_at .*created_at >=.*created_at </,
    because: 'the sums of some days are made of just these entries',
  },
  {
    table: 'clazz.hour_lot',
    text: /select distinct (org_id|student_id) from hour_lot where .*open/,
    because: 'the hourly job asks for what has expired since it ran last',
  },
  {
    table: 'clazz.clazz_audit_log',
    text: /sort_id from clazz_audit_log a /,
    by: /clazz_audit_log_(pkey|entity)/,
    because: 'the trail of the org goes along its numbers until the page is full; of one record or person by the index',
  },
  ...['clazz.lesson', 'clazz.clazz'].map((table) => ({
    table,
    text: /as s \(from_at, to_at\)/,
    by: /starts_at > .*starts_at <|clazz_(name|pkey)/,
    because: 'a closure looks at the lessons of its range, and may concern every class',
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
    because: 'leave filtered by its lessons goes along the requests, newest first, until the page is full',
  },
  {
    table: 'course.daka',
    text: /sort_id from daka d /,
    by: /daka_of_org .*local_date >=.*local_date <=/,
    because: 'check-ins of some days are looked at by day until the page is full',
  },
  {
    table: 'course.submission',
    text: /sort_id from submission s .*claim/,
    by: /submission_queue/,
    because: 'the queue passes over what others are marking just now',
  },
  {
    table: 'stats.lot',
    text: /as expiring_30d/,
    by: /lot_expiry .*expires_at <=/,
    because: 'the sum of what expires within 30 days is made of just these lots',
  },
  {
    table: 'clazz.clazz_audit_log',
    text: /clazz_ids @> array/,
    by: /clazz_audit_log_(pkey|entity)/,
    because: 'row-level security keeps arrays from their index: lists in the trail are found by going back in it',
  },
  {
    table: 'clazz.policy',
    text: /update policy/,
    because: 'never sent: a policy is replaced by its next version',
  },
];

/** Figures are explained row by row along the time that was asked for, and a filter by class passes over the others. */
const explains = ({ service, text }: Finding): boolean => service === 'stats' && text.includes('sort_key');

export const isAllowed = (found: Finding): boolean =>
  explains(found) ||
  ALLOWED.some(
    ({ table, text, by }) =>
      table === `${found.service}.${found.table}` && text.test(found.text) && by?.test(found.by) !== false,
  );
