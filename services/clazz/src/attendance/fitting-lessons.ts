import { always, names, p, type RowOf, type Session, statement } from '@teaching/kit';
import { LISTED } from '../record/lesson.table.ts';
import { LESSON_CAPACITY, LISTED_ROOM, PLACES } from '../record/taken-places.ts';
import { BUSY } from './book.ts';

const teacher = names('l', 'teacher_id');
const OPTION = {
  ...LISTED.shape,
  ...teacher.shape,
  clazz_name: always(p.text()),
  capacity: p.integer().nullable(),
  free: p.integer().nullable(),
  /** Orders lessons that begin together: the more seats are free the lower. */
  fullness: always(p.integer()),
};
type Option = RowOf<typeof OPTION>;

/** No lesson begins together with another one so full; what has no limit is emptier still. */
const UNLIMITED = -2_147_483_648;

/**
 * What `book` would take of lessons from $4 on and before $5, after the last row of a page ($7 to $9). They are looked at
 * in the order of their starts until there are enough: it costs what is shown, not what the org has.
 */
const options = (ofCourse: string) =>
  statement(
    `select ${LISTED.of('l')}, ${teacher.columns}, c.name as clazz_name, f.capacity, f.free, coalesce(-f.free, ${UNLIMITED}) as fullness
     from lesson l
     join clazz c on c.org_id = l.org_id and c.id = l.clazz_id and c.status = 'active' and ${ofCourse}
     ${LISTED_ROOM}
     cross join lateral (
       select ${LESSON_CAPACITY} as capacity, case when ${LESSON_CAPACITY} is not null
         then ${LESSON_CAPACITY} - (select count(*)::int from ${PLACES} as s where s.student_id <> $2) end as free
     ) as f
     where l.org_id = $1 and l.status = 'scheduled' and l.hours >= 0 and l.starts_at >= $4 and l.starts_at < $5 and l.id <> $3
       and ($7::timestamptz is null
         or (l.starts_at, coalesce(-f.free, ${UNLIMITED}), l.id) > ($7::timestamptz, $8::int, $9::uuid))
       and (f.free is null or f.free > 0)
       and not exists (select from make_up_credit m
         where m.org_id = l.org_id and m.lesson_id = l.id and m.student_id = $2)
       and not exists (select from lesson_student s where ${BUSY('$2')})
     order by l.starts_at, fullness, l.id limit $10`,
    OPTION,
  );
/** The best first. */
const TIERS = [
  { same_course: true, statement: options('c.course_id = $6') },
  { same_course: false, statement: options('(c.course_id = $6) is not true') },
] as const;

export interface Asked {
  student_id: string;
  lesson_id: string;
  course_id: string | null;
  from: string;
  until: string;
}

/** Tier, start, fullness and id of the last row of a page. */
type Key = readonly (string | number | null)[];

/** Lessons that fit, the best first, after a key; one more than a page has, if there are so many. */
export const fittingLessons = async (session: Session, asked: Asked, [tier = 0, ...key]: Key, limit: number) => {
  const { student_id, lesson_id, course_id, from, until } = asked;
  const rows: { key: Key; option: Omit<Option, 'fullness'> & { same_course: boolean } }[] = [];
  for (const [index, { same_course, statement: of }] of TIERS.entries()) {
    if (index < Number(tier)) continue;
    const [starts_at = null, fullness = null, id = null] = index === Number(tier) ? key : [];
    const left = limit + 1 - rows.length;
    const since = typeof starts_at === 'string' ? starts_at : from;
    const params = [student_id, lesson_id, since, until, course_id, starts_at, fullness, id, left] as const;
    const found = await session.query(of, session.org_id, ...params);
    for (const { fullness: its, ...row } of found) {
      rows.push({ key: [index, row.starts_at, its, row.id], option: { ...row, same_course } });
    }
    if (rows.length > limit) break;
  }
  return rows;
};
