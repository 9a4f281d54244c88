import { courseEvents, Daka, type dakaCalls, Problem, unknownIds } from '@teaching/contracts';
import {
  equalsAnyOf,
  notNull,
  type Handler,
  instant,
  localDate,
  nameColumns,
  newRecord,
  p,
  pagedList,
  Reply,
  type Session,
  statement,
  table,
} from '@teaching/kit';
import { daysSince, isCheckInPossible } from '../jihua/calendar.rules.ts';
import { dateArray, JIHUA } from '../jihua/jihua-rows.ts';

/** Check-ins: one per student and day of a plan. */
const DAKA = table('daka', {
  org_id: p.uuid().primary(),
  id: p.uuid(),
  jihua_id: p.uuid().primary(),
  student_id: p.text().primary(),
  local_date: p.date().primary(),
  content: p.json<NonNullable<Daka['content']>>().nullable(),
  backfilled: p.boolean(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});

const SETTINGS = JIHUA.pick('zone', 'backfill_days');
/**
 * A shared lock: the plan cannot change during a check-in, and many students can check in at once. `planned` contains
 * the planned days that can be open for check-ins now in any time zone.
 */
const PLAN = statement(
  `select ${SETTINGS.columns},
     array(select d from unnest(planned_dates) as d
           where d between $4::date - backfill_days - 1 and $4::date + 1) as planned,
     s.student_id is not null as is_member, s.since
   from jihua left join jihua_student s on s.org_id = $1 and s.jihua_id = $2 and s.student_id = $3
   where jihua.org_id = $1 and jihua.id = $2 for share of jihua`,
  { ...SETTINGS.shape, planned: notNull(dateArray()), is_member: notNull(p.boolean()), since: p.date().nullable() },
);
const studentName = nameColumns('new', 'student_id');
const PUT = statement(
  `insert into daka (${DAKA.columns}) select ${DAKA.columns} from ${DAKA.rowsFrom('$1')}
   on conflict (org_id, jihua_id, student_id, local_date) do update
   set content = excluded.content, version = daka.version + 1, updated_at = excluded.updated_at
   returning ${DAKA.withAlias('new')}, ${studentName.columns},
     (select title from jihua where org_id = new.org_id and id = new.jihua_id) as jihua_title, (old.id is null) as fresh`,
  { ...DAKA.shape, ...studentName.shape, jihua_title: notNull(p.text()), fresh: notNull(p.boolean()) },
);

const planFor = async (session: Session, jihua_id: string, student_id: string) => {
  const plan = await session.queryOne(PLAN, session.org_id, jihua_id, student_id, session.now);
  if (plan === undefined || !(plan.is_member || !session.access.isLimitedTo('self'))) {
    throw unknownIds([{ path: '/body/jihua_id', message: 'does not exist' }]);
  }
  if (!plan.is_member) throw unknownIds([{ path: '/body/student_id', message: 'is not a student of this plan' }]);
  return plan;
};

/**
 * Creates the check-in of a day (201) or updates it (200). The local date is set at the write. A later change of clock
 * or zone does not move it.
 */
export const putDaka: Handler<typeof dakaCalls.putDaka> = async ({ body }, session) => {
  const { jihua_id, content = null } = body;
  const student_id = session.access.requestedStudent(body.student_id, '/body/student_id');
  const { zone, planned, since, backfill_days } = await planFor(session, jihua_id, student_id);
  const today = localDate(session.now, zone);
  const local_date = body.local_date ?? today;
  if (!isCheckInPossible(local_date, daysSince(planned, since), today, backfill_days)) {
    throw new Problem('backfill_closed', {
      detail:
        'The day is not planned, in the future, outside the backfill window, or before the student joined the plan',
      members: { local_date, today },
    });
  }
  const checkIn = { ...newRecord(session), jihua_id, student_id, local_date, content, backfilled: local_date < today };
  const stored = await session.queryOne(PUT, DAKA.toJson([checkIn]));
  if (stored === undefined) throw new Error('an upsert returns its row');
  const { fresh, ...it } = stored;
  session.emit(courseEvents.dakaRecorded, jihua_id, {
    id: it.id,
    jihua_id,
    student_id,
    local_date,
    backfilled: it.backfilled,
    version: it.version,
  });
  return fresh ? it : new Reply(it, { status: 200 });
};

const SHOWN = DAKA.contractColumns(Daka);
const listedName = nameColumns('d', 'student_id');
const listOfDaka = pagedList({
  columns: `${SHOWN.withAlias('d')}, ${listedName.columns},
    (select title from jihua where org_id = d.org_id and id = d.jihua_id) as jihua_title`,
  shape: { ...SHOWN.shape, ...listedName.shape, jihua_title: notNull(p.text()) },
  from: 'daka d',
  bulky: true,
  sorts: { local_date: { by: 'local_date', type: 'date' } },
  where: {
    jihua_id: equalsAnyOf('jihua_id'),
    student_id: equalsAnyOf('student_id'),
    from: 'local_date >= ?',
    to: 'local_date <= ?',
  },
});

export const listDaka: Handler<typeof dakaCalls.listDaka> = async ({ query }, session) =>
  listOfDaka(session, query, { ...query, student_id: session.access.requestedPeople(query.student_id) });
