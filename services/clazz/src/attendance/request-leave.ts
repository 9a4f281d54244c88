import { p } from '@mikro-orm/postgresql';
import { type leaveCalls, Problem, unknownIds } from '@teaching/contracts';
import { always, type Handler, isStaff, newId, nothing, type Session, statement } from '@teaching/kit';
import { LEAVE } from '../cascade/leave.table.ts';
import { toLeave } from '../cascade/leave-row.ts';
import { lockSeats } from '../cascade/load-seats.ts';
import { tellLeaves } from '../cascade/tell-leaves.ts';
import { LESSON } from '../record/lesson.table.ts';
import { checkRequest, exceedsQuota, newLeaves, studentOf } from './leave-request.rules.ts';

/** A range may hold this many lessons. */
const MOST = 500;

const IN_RANGE = statement(
  `select l.id from lesson l
   join enrolment_period p on p.org_id = l.org_id and p.clazz_id = l.clazz_id and p.during @> l.starts_at
   where l.org_id = $1 and p.student_id = $2 and l.starts_at >= $3 and l.starts_at < $4 and l.status = 'scheduled'
     and ($5::uuid is null or l.clazz_id = $5) limit ${MOST + 1}`,
  LESSON.some('id').shape,
);
/** Requests of one student come one after the other, so that the quota cannot be passed in parallel. */
const ONE_BY_ONE = statement("select pg_advisory_xact_lock(hashtextextended($1 || ' leave ' || $2, 0))", {
  pg_advisory_xact_lock: nothing(),
});
const TAKEN = statement(
  `select l.starts_at from leave v join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
   where v.org_id = $1 and v.student_id = $2 and v.status in ('pending', 'approved')`,
  LESSON.some('starts_at').shape,
);
/** A class the student is or was in, as far as the caller may know: for others it is not there. */
const CLAZZ = statement(
  `select exists (select from clazz where org_id = $1 and id = $2) and ($4 or exists (
     select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3)) as found`,
  { found: always(p.boolean()) },
);

type Body = { lesson_id?: string | null; from?: string | null; to?: string | null; clazz_id?: string | null };

const requireClazz = async (
  session: Session,
  student_id: string,
  clazz_id: string | null | undefined,
): Promise<void> => {
  if (clazz_id == null) return;
  const found = await session.one(CLAZZ, session.org_id, clazz_id, student_id, isStaff(session.caller));
  if (found?.found !== true) throw unknownIds([{ path: '/body/clazz_id', message: 'does not exist' }]);
};

const lessonsOf = async (session: Session, student_id: string, body: Body): Promise<string[]> => {
  if (body.lesson_id != null) return [body.lesson_id];
  const { org_id } = session;
  await requireClazz(session, student_id, body.clazz_id);
  const found = await session.query(IN_RANGE, org_id, student_id, body.from, body.to, body.clazz_id ?? null);
  if (found.length > 0 && found.length <= MOST) return found.map((row) => row.id).sort();
  const message =
    found.length === 0 ? 'no lesson of the student begins in this range' : `has more than ${MOST} lessons`;
  throw new Problem('invalid_request', { errors: [{ path: '/body/from', message }] });
};

const requireQuota = async (
  session: Session,
  student_id: string,
  wanted: readonly string[],
  quota: number | null,
): Promise<void> => {
  if (quota === null) return;
  session.run(ONE_BY_ONE, session.org_id, student_id);
  const taken = await session.query(TAKEN, session.org_id, student_id);
  const starts = taken.map((row) => row.starts_at);
  if (exceedsQuota(starts, wanted, quota)) {
    throw new Problem('leave_quota', `At most ${quota} lessons of leave in 30 days`);
  }
};

/** Asks for leave from one lesson, or from each lesson of a range: all of them or none. */
export const requestLeave: Handler<typeof leaveCalls.request> = async ({ body }, session) => {
  const { org_id, caller, now } = session;
  const student_id = studentOf(caller, body.student_id);
  const ids = await lessonsOf(session, student_id, body);
  const { policy, lessons } = await lockSeats(session, ids);
  if (lessons.length === 0) throw unknownIds([{ path: '/body/lesson_id', message: 'does not exist' }]);
  checkRequest(lessons, student_id, caller);
  const request = { student_id, reason: body.reason, requested_by: caller.user_id };
  const leaves = newLeaves(lessons, request, policy, now, newId);
  const starts = lessons.map(({ lesson }) => lesson.starts_at);
  await requireQuota(session, student_id, starts, policy.leave.quota_per_30_days);
  session.insert(LEAVE, ...leaves.map(({ credit: _none, ...leave }) => ({ org_id, ...leave })));
  tellLeaves(
    session,
    leaves.map((after) => ({ before: null, after })),
    body.reason,
  );
  return { items: leaves.map((leave) => toLeave(leave, now.toISOString())) };
};
