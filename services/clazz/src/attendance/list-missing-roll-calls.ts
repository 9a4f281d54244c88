import type { rollCallCalls } from '@teaching/contracts';
import { equalsAnyOf, REQUEST_CLOCK, type Handler, nameColumns, pagedList, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { editWindowEnd } from '../cascade/edit-window.rules.ts';
import { policyInForce } from '../policy/policy.ts';
import { CLAZZ, LESSON_STUDENT, WIRE_LESSON } from '../record/record.tables.ts';

const SEAT = LESSON_STUDENT.pick('lesson_id', 'student_id');
const student = nameColumns('s', 'student_id');
/** The students without a mark. At a lesson without a roll call these are all students. */
const UNMARKED = statement(
  `select ${SEAT.withAlias('s')}, ${student.columns} from lesson_student s join lesson l on l.org_id = s.org_id and l.id = s.lesson_id
   where s.org_id = $1 and s.lesson_id = any($2::uuid[]) and (s.unmarked or l.status = 'scheduled')
   order by s.student_id`,
  { ...SEAT.shape, ...student.shape },
);

const teacher = nameColumns('l', 'teacher_id');
const list = pagedList({
  columns: `${WIRE_LESSON.withAlias('l')}, c.name as clazz_name, ${teacher.columns}`,
  shape: { ...WIRE_LESSON.shape, clazz_name: CLAZZ.shape.name, ...teacher.shape },
  from: 'lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id',
  org: 'l.org_id',
  id: { by: 'l.id', type: 'uuid' },
  sorts: { starts_at: { by: 'l.starts_at', type: 'timestamptz' } },
  where: {
    // Uses the indexes of scheduled lessons and unmarked students, so the cost depends on the missing roll calls only.
    // A cursor is bound to the value of `clock.now`.
    missing: `l.ends_at <= clock.now and c.status in ('draft', 'active') and l.status in ('scheduled', 'held')
      and l.id = any(array(
        select w.id from lesson w where w.org_id = ? and w.status = 'scheduled' and w.hours >= 0
          and w.starts_at < clock.now
        union all
        select s.lesson_id from lesson_student s where s.org_id = ? and s.unmarked))`,
    own: '(l.teacher_id = ? or c.lead_teacher_id = ? or ? = any(c.assistant_ids))',
    clazz_id: equalsAnyOf('l.clazz_id'),
  },
  joins: { clock: REQUEST_CLOCK },
});

/**
 * Lessons that ended without a roll call or with an unmarked student, oldest first: all of the org, or the caller's
 * own.
 */
export const listMissingRollCalls: Handler<typeof rollCallCalls.listMissingRollCalls> = async ({ query }, session) => {
  const { caller, now } = session;
  const { clazz_id, ...page } = query;
  const { user_id } = caller;
  const own = session.access.isLimitedTo('teacher') ? [user_id, user_id, user_id] : undefined;
  const where = { missing: [session.org_id, session.org_id], own, clazz_id };
  const found = await list(session, { ...page, sort: 'starts_at' }, where, { clock: now });
  auditRead(
    session,
    'roll_call',
    found.items.map((lesson) => lesson.clazz_id),
  );
  const ids = found.items.map((lesson) => lesson.id);
  const [unmarkedRows, policy] = await Promise.all([
    session.query(UNMARKED, session.org_id, ids),
    policyInForce(session, session.org_id),
  ]);
  const unmarkedOf = Map.groupBy(unmarkedRows, (row) => row.lesson_id);
  const items = found.items.map((lesson) => {
    const unmarked = unmarkedOf.get(lesson.id) ?? [];
    return {
      ...lesson,
      closes_at: editWindowEnd(lesson, policy),
      unmarked: unmarked.map((row) => row.student_id),
      unmarked_names: unmarked.map((row) => row.student_name),
    };
  });
  return { ...found, items };
};
