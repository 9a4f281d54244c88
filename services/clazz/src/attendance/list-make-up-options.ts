import { fromHundredths, type leaveCalls } from '@teaching/contracts';
import { notNull, type Handler, nameColumns, p, type RowOf, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { chargeOf } from '../cascade/cascade.rules.ts';
import { FREE_SEATS, isSeated, LESSON_CAPACITY, LISTED_ROOM } from '../record/occupancy.ts';
import { WIRE_LESSON } from '../record/record.tables.ts';
import { readLeave } from './lock-leave.ts';
import { isExpectedElsewhere } from './make-up-booking.ts';
import { requireCreditUser, creditUnavailable, requireCredit } from './make-up.rules.ts';

const teacher = nameColumns('l', 'teacher_id');
const OPTION = {
  ...WIRE_LESSON.shape,
  ...teacher.shape,
  clazz_name: notNull(p.text()),
  capacity: p.integer().nullable(),
  free: p.integer().nullable(),
  /** Orders lessons that begin at the same time. Lessons with more free seats come first. */
  fullness: notNull(p.integer()),
};
type Option = RowOf<typeof OPTION>;

/** Sorts lessons without a capacity before all others: the lowest int4. */
const UNLIMITED = -2_147_483_648;

/**
 * The lessons from `$3` on and before `$4` that `bookMakeUp` accepts, after the last row of a page (`$6` to `$8`).
 * Postgres reads them by start until the page is full, so the cost depends on the page, not on the size of the org.
 */
const options = (ofCourse: string) =>
  statement(
    `select ${WIRE_LESSON.withAlias('l')}, ${teacher.columns}, c.name as clazz_name, f.capacity, f.free, coalesce(-f.free, ${UNLIMITED}) as fullness
     from lesson l
     join clazz c on c.org_id = l.org_id and c.id = l.clazz_id and c.status = 'active' and ${ofCourse}
     ${LISTED_ROOM}
     cross join lateral (select ${LESSON_CAPACITY} as capacity, ${FREE_SEATS} as free) as f
     where l.org_id = $1 and l.status = 'scheduled' and l.hours >= 0 and l.starts_at >= $3 and l.starts_at < $4
       and ($6::timestamptz is null
         or (l.starts_at, coalesce(-f.free, ${UNLIMITED}), l.id) > ($6::timestamptz, $7::int, $8::uuid))
       and (f.free is null or f.free > 0)
       and not ${isSeated('$2')}
       and not exists (select from lesson_student s where ${isExpectedElsewhere('$2')})
     order by l.starts_at, fullness, l.id limit $9`,
    OPTION,
  );
/** Lessons of the same course come before others. */
const TIERS = [
  { same_course: true, statement: options('c.course_id = $5') },
  { same_course: false, statement: options('(c.course_id = $5) is not true') },
] as const;

interface OptionQuery {
  student_id: string;
  course_id: string | null;
  from: string;
  until: string;
}

/** Index in `TIERS`, start, fullness and id of the last row of a page. */
type Key = readonly (string | number | null)[];

/** The options after a key, best first. Returns one more than `limit` when there is a next page. */
const lessonOptions = async (session: Session, search: OptionQuery, [tier = 0, ...key]: Key, limit: number) => {
  const { student_id, course_id, from, until } = search;
  const rows: { key: Key; option: Omit<Option, 'fullness'> & { same_course: boolean } }[] = [];
  for (const [index, { same_course, statement: of }] of TIERS.entries()) {
    if (index < Number(tier)) continue;
    const [starts_at = null, fullness = null, id = null] = index === Number(tier) ? key : [];
    const left = limit + 1 - rows.length;
    const since = typeof starts_at === 'string' ? starts_at : from;
    const params = [student_id, since, until, course_id, starts_at, fullness, id, left] as const;
    const found = await session.query(of, session.org_id, ...params);
    for (const { fullness: its, ...row } of found) {
      rows.push({ key: [index, row.starts_at, its, row.id], option: { ...row, same_course } });
    }
    if (rows.length > limit) break;
  }
  return rows;
};

/** The lessons that a credit can be used for: exactly those that booking accepts. */
export const listMakeUpOptions: Handler<typeof leaveCalls.listMakeUpOptions> = async ({ path, query }, session) => {
  const check = requireCreditUser(session.access);
  const { leave, policy, state } = await readLeave(session, path.id, check, creditUnavailable);
  const earliest = new Date(session.now.getTime() + 1).toISOString();
  const { expires_at } = requireCredit(leave, earliest);
  const search: OptionQuery = {
    student_id: leave.student_id,
    course_id: state.clazz.course_id,
    from: query.from !== undefined && query.from > earliest ? query.from : earliest,
    until: query.to !== undefined && query.to < expires_at ? query.to : expires_at,
  };
  const list = JSON.stringify([leave.id, query.from, query.to]);
  const after = session.readCursor(query.cursor, list) ?? [];
  const rows = await lessonOptions(session, search, after, query.limit);
  const page = rows.slice(0, query.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const items = page.map(({ option }) => ({
    ...option,
    charge_hours: fromHundredths(chargeOf(option.hours, 'makeup', policy)),
  }));
  auditRead(session, 'lesson', [leave.clazz_id, ...items.map((row) => row.clazz_id)]);
  return { items, next_cursor: last === undefined ? null : session.signCursor(last.key, list) };
};
