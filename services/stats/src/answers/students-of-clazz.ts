import { notNull, nullableColumns, p, type Session, statement } from '@teaching/kit';
import { MARK_SUMS, STUDENT_SUMS, studentAttendance, studentTotals } from '../figures/student-totals.ts';
import { currentRecordsOf, CURRENT_GEN, nameOfPerson } from '../figures/sql-fragments.ts';
import { Sums } from '../figures/tally.rules.ts';
import type { StatsRange } from '../range/range.rules.ts';
import { ENROLMENT } from '../records/enrolment.ts';
import { MARK } from '../records/mark.ts';
import { MEMBER } from '../records/member.ts';

const NAME = nullableColumns(MEMBER.pick('display_name').shape);

/** The members of the class in the range, with the number of lessons during their membership. */
const ENROLLED = statement(
  `select e.student_id, ${nameOfPerson('e.student_id', currentRecordsOf('$1'))} as display_name,
     coalesce(sum(f.scheduled), 0)::int as scheduled, coalesce(sum(f.held), 0)::int as held
   from enrolment as e
   left join clazz_figure as f on f.org_id = e.org_id and f.gen = e.gen and f.clazz_id = e.clazz_id
     and f.at >= $3 and f.at < $4 and e.during @> f.at
   where e.org_id = $1 and e.gen = ${CURRENT_GEN} and e.clazz_id = $2 and e.during && tstzrange($3, $4)
   group by 1`,
  { ...ENROLMENT.pick('student_id').shape, ...NAME, scheduled: notNull(p.integer()), held: notNull(p.integer()) },
);

/** The marks of all members and guests at lessons of the class. */
const MARKED = statement(
  `select m.student_id, ${nameOfPerson('m.student_id', currentRecordsOf('$1'))} as display_name, ${MARK_SUMS.columns}
   from lesson as l
   join mark as m on m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id
   where l.org_id = $1 and l.gen = ${CURRENT_GEN} and l.clazz_id = $2 and l.starts_at >= $3 and l.starts_at < $4
     and l.status <> 'deleted'
   group by 1`,
  { ...MARK.pick('student_id').shape, ...NAME, ...MARK_SUMS.shape },
);

/** The figures of each member and guest of a class in a range, in the order of their ids. */
export const studentsOfClazz = async (session: Session, clazz_id: string, range: StatsRange) => {
  const params = [session.org_id, clazz_id, range.starts_at, range.ends_at] as const;
  const [enrolled, marked] = await Promise.all([session.query(ENROLLED, ...params), session.query(MARKED, ...params)]);
  const people = [...enrolled, ...marked];
  // `Sums` groups by `clazz_id`. Here the student's id is used as the group.
  const rows = people.map(({ student_id, display_name: _name, ...counts }) => ({ ...counts, clazz_id: student_id }));
  const sums = new Sums(STUDENT_SUMS).add(rows);
  const names = new Map(people.map(({ student_id, display_name }) => [student_id, display_name]));
  return [...sums.byClazz]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([student_id, tally]) => ({
      student_id,
      name: names.get(student_id) ?? null,
      student_name: names.get(student_id) ?? null,
      ...studentTotals(tally),
      attendance: studentAttendance(tally),
    }));
};
