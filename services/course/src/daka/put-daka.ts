import { courseEvents, type Daka, type dakaCalls, Problem, unknownIds } from '@teaching/contracts';
import { type Handler, isStaff, newId, Reply, type Session, statement, localDate } from '@teaching/kit';
import { isOpen } from '../jihua/calendar.rules.ts';
import { DAKA_COLUMNS } from './list-daka.ts';
import { oneOf } from './whose.rules.ts';

interface Plan {
  zone: string;
  backfill_days: number;
  /** The planned days around now: all that can be open anywhere on earth. */
  planned: string[];
  is_member: boolean;
}

/** Shared: the plan cannot change while somebody checks in, and many may do so at once. */
const PLAN = statement<Plan>(
  `select zone, backfill_days,
     array(select d from unnest(planned_dates) as d
           where d between $4::date - backfill_days - 1 and $4::date + 1) as planned,
     exists (select from jihua_student s
             where s.org_id = $1 and s.jihua_id = $2 and s.student_id = $3) as is_member
   from jihua where org_id = $1 and id = $2 for share of jihua`,
);
const PUT = statement<Daka & { fresh: boolean }>(
  `insert into daka (org_id, id, jihua_id, student_id, local_date, content, backfilled, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
   on conflict (org_id, jihua_id, student_id, local_date) do update
   set content = excluded.content, version = daka.version + 1, updated_at = excluded.updated_at
   returning ${DAKA_COLUMNS.replaceAll(/\w+/g, 'new.$&')}, (old.id is null) as fresh`,
);

const planFor = async (session: Session, jihua_id: string, student_id: string): Promise<Plan> => {
  const plan = await session.one(PLAN, session.org_id, jihua_id, student_id, session.now);
  const staff = isStaff(session.caller);
  if (plan === undefined || !(plan.is_member || staff)) {
    throw unknownIds([{ path: '/body/jihua_id', message: 'does not exist' }]);
  }
  if (!plan.is_member) throw unknownIds([{ path: '/body/student_id', message: 'is not a student of this plan' }]);
  return plan;
};

/** One check-in a day; the day is fixed when it is written and never moves with a clock or a zone. */
export const putDaka: Handler<typeof dakaCalls.put> = async ({ body }, session) => {
  const student_id = oneOf(session.caller, body.student_id, '/body/student_id');
  const { zone, planned, backfill_days } = await planFor(session, body.jihua_id, student_id);
  const today = localDate(session.now, zone);
  const day = body.local_date ?? today;
  if (!isOpen(day, planned, today, backfill_days)) {
    throw new Problem('backfill_closed', {
      detail: 'The day is not planned, has not begun, or is too long ago',
      members: { local_date: day, today },
    });
  }
  const content = body.content == null ? null : JSON.stringify(body.content);
  const key = [session.org_id, newId(), body.jihua_id, student_id, day];
  const stored = await session.one(PUT, ...key, content, day < today, session.now);
  if (stored === undefined) throw new Error('an upsert returns its row');
  const { fresh, ...it } = stored;
  session.emit(courseEvents.dakaRecorded, it.jihua_id, {
    id: it.id,
    jihua_id: it.jihua_id,
    student_id,
    local_date: day,
    backfilled: it.backfilled,
    version: it.version,
  });
  return fresh ? it : new Reply(it, { status: 200 });
};
