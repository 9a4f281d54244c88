import { hourCalls, type Lesson, notFound, type rollCallCalls, RollCallRevision } from '@teaching/contracts';
import {
  notNull,
  type Handler,
  nameColumns,
  nullableColumns,
  p,
  pagedList,
  type Session,
  statement,
} from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { isListed } from '../cascade/cascade.rules.ts';
import { MARK_REVISION } from '../cascade/cascade.tables.ts';
import { editWindowEnd } from '../cascade/edit-window.rules.ts';
import { readSeats } from '../cascade/lock-seats.ts';
import { studentsTaughtBy } from '../hours/account-access.ts';
import { HOUR_ACCOUNT } from '../hours/hours.tables.ts';
import { LESSON } from '../record/record.tables.ts';
import { rollCallStart, toRollCallLeave, toRollCallRow } from './roll-call.rules.ts';
import { rollCallNames, toRollCall } from './submit-roll-call.ts';

/**
 * Two figures of each student (`$2`) at a lesson of class `$3` that starts at `$4`.
 * `balance` are the hours left, only of accounts that the caller may read. `$5` is a teacher whose students' accounts
 * are readable, or null for callers who may read all. `$6` is a caller who may read their own account.
 * `present` and `of` count the attended and the marked lessons of the class before this one. Each account and mark is
 * looked up by its key.
 */
const FIGURES = statement(
  `select s.student_id, h.balance, m.present, m.of
   from unnest($2::text[]) as s (student_id)
   left join lateral (
     select balance from hour_account where org_id = $1 and student_id = s.student_id
       and ($5::text is null or s.student_id = $6::text or s.student_id = any(array(${studentsTaughtBy('$1', '$5')})))
     limit 1) h on true
   cross join lateral (
     select count(*) filter (where k.mark in ('present', 'late', 'makeup', 'trial'))::int as present, count(*)::int as of
     from lesson l cross join lateral (
       select mark from mark_revision where org_id = l.org_id and lesson_id = l.id and student_id = s.student_id
       order by revision desc limit 1) k
     where l.org_id = $1 and l.clazz_id = $3 and l.starts_at < $4 and l.status = 'held' and k.mark is not null) m`,
  {
    student_id: notNull(p.text()),
    ...nullableColumns(HOUR_ACCOUNT.pick('balance').shape),
    present: notNull(p.integer()),
    of: notNull(p.integer()),
  },
);

const NO_FIGURES = { hours_left: null, attended: { present: 0, of: 0 } };

/** The caller as a teacher whose students' accounts are readable, and as the owner of a readable account; else null. */
const readableAccounts = (session: Session): [teacher: string | null, self: string | null] => {
  const reach = session.accessIn(hourCalls.getHourAccount);
  const { user_id } = session.caller;
  return [
    reach.isLimitedTo('teacher') ? user_id : null,
    reach.allows({ self: user_id, teacher: false }) ? user_id : null,
  ];
};

/** The figures of students in a roll call, by one statement. */
const rollCallFigures = async (
  session: Session,
  { clazz_id, starts_at }: Pick<Lesson, 'clazz_id' | 'starts_at'>,
  seats: readonly { student_id: string }[],
) => {
  const students = seats.map((seat) => seat.student_id);
  const rows =
    students.length === 0
      ? []
      : await session.query(FIGURES, session.org_id, students, clazz_id, starts_at, ...readableAccounts(session));
  const known = new Map(
    rows.map(({ student_id, balance, present, of }) => [
      student_id,
      { hours_left: balance, attended: { present, of } },
    ]),
  );
  return (student_id: string) => known.get(student_id) ?? NO_FIGURES;
};

export const getRollCall: Handler<typeof rollCallCalls.getRollCall> = async ({ path }, session) => {
  const { policy, lessons } = await readSeats(session, [path.lesson_id]);
  const [state] = lessons;
  if (state === undefined) throw notFound('Lesson');
  const { lesson } = state;
  auditRead(session, 'roll_call', [lesson.clazz_id], lesson.id);
  const seats = state.seats.filter(isListed);
  const [nameOf, figuresOf] = await Promise.all([
    rollCallNames(session, state),
    rollCallFigures(session, lesson, seats),
  ]);
  const shown = toRollCall(state, seats.map(toRollCallRow), nameOf);
  const leaveOf = new Map(seats.map((seat) => [seat.student_id, toRollCallLeave(seat)]));
  return {
    lesson: shown.lesson,
    marks: shown.marks.map((row) => ({
      ...row,
      leave: leaveOf.get(row.student_id) ?? null,
      ...figuresOf(row.student_id),
    })),
    opens_at: rollCallStart(lesson, policy),
    closes_at: editWindowEnd(lesson, policy),
  };
};

const CLAZZ_OF = statement('select clazz_id from lesson where org_id = $1 and id = $2', LESSON.pick('clazz_id').shape);

const LISTED = MARK_REVISION.contractColumns(RollCallRevision);
const named = nameColumns('mark_revision', 'student_id', 'marked_by');
const list = pagedList({
  columns: `${LISTED.columns}, ${named.columns}`,
  shape: { ...LISTED.shape, ...named.shape },
  from: 'mark_revision',
  id: { by: "(lpad(revision::text, 6, '0') || student_id)", type: 'text' },
  sorts: { marked_at: { by: 'marked_at', type: 'timestamptz' } },
  where: { lesson_id: 'lesson_id = ?' },
});

/** All revisions of all marks of a lesson, oldest first. */
export const listRollCallRevisions: Handler<typeof rollCallCalls.listRollCallRevisions> = async (
  { path: { lesson_id }, query },
  session,
) => {
  const lesson = await session.queryOne(CLAZZ_OF, session.org_id, lesson_id);
  if (lesson === undefined) throw notFound('Lesson');
  auditRead(session, 'roll_call', [lesson.clazz_id], lesson_id);
  return list(session, { ...query, sort: 'marked_at' }, { lesson_id });
};
