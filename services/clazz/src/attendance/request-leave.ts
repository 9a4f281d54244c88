import { type Input, type leaveCalls, Problem, unknownIds } from '@teaching/contracts';
import { notNull, type Handler, p, type Session, statement } from '@teaching/kit';
import type { LeaveState } from '../cascade/cascade.rules.ts';
import { LEAVE } from '../cascade/cascade.tables.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { auditLeaves, publishLeaveEvents } from '../cascade/save-leaves.ts';
import { type LoadedSeats, lockSeats } from '../cascade/lock-seats.ts';
import { LESSON } from '../record/record.tables.ts';
import { checkAndCreateLeaves, requireLessonAndStudent, requireQuota } from './check-leave-request.ts';
import { isApprovedAtOnce, knowsAllClazzes, type LeaveRequest } from './leave-request.rules.ts';
import { newCredit } from './leave.rules.ts';
import { readWrittenLeaves } from './read-leaves.ts';

/** The most lessons that one request may contain. */
const MAX_LESSONS = 500;

/** `offset 0` makes Postgres read lessons class by class, independent of its size estimates. */
const IN_RANGE = statement(
  `select l.id from enrolment_period p
   cross join lateral (
     select id from lesson
     where org_id = p.org_id and clazz_id = p.clazz_id and starts_at >= $3 and starts_at < $4 and p.during @> starts_at
       and status = 'scheduled' offset 0
   ) l
   where p.org_id = $1 and p.student_id = $2 and ($5::uuid is null or p.clazz_id = $5) limit ${MAX_LESSONS + 1}`,
  LESSON.pick('id').shape,
);
/**
 * Whether the class exists for the caller: other callers than staff only know classes that the student is or was in.
 */
const CLAZZ = statement(
  `select exists (select from clazz where org_id = $1 and id = $2) and ($4 or exists (
     select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3)) as found`,
  { found: notNull(p.boolean()) },
);

const requireClazz = async (
  session: Session,
  student_id: string,
  clazz_id: string | null | undefined,
): Promise<void> => {
  if (clazz_id == null) return;
  const found = await session.queryOne(CLAZZ, session.org_id, clazz_id, student_id, knowsAllClazzes(session.caller));
  if (found?.found !== true) throw unknownIds([{ path: '/body/clazz_id', message: 'does not exist' }]);
};

/** The ids of the requested lesson, or of all lessons of the student that begin in the range. */
const requestedLessons = async (
  session: Session,
  student_id: string,
  { lesson_id, from, to, clazz_id }: Input<typeof leaveCalls.requestLeave>['body'],
): Promise<string[]> => {
  if (lesson_id != null) return [lesson_id];
  await requireClazz(session, student_id, clazz_id);
  const found = await session.query(IN_RANGE, session.org_id, student_id, from, to, clazz_id ?? null);
  if (found.length > 0 && found.length <= MAX_LESSONS) return found.map((row) => row.id).sort();
  const message =
    found.length === 0 ? 'no lesson of the student begins in this range' : `has more than ${MAX_LESSONS} lessons`;
  throw new Problem('invalid_request', { errors: [{ path: '/body/from', message }] });
};

/** Approves leave that was just requested, where the policy does so without a decision. `decided_by` stays null. */
const approveAtOnce = async (session: Session, { policy, lessons }: LoadedSeats, leave: LeaveState): Promise<void> => {
  const state = lessons.find(({ lesson }) => lesson.id === leave.lesson_id);
  if (state === undefined || !isApprovedAtOnce(policy, state.lesson, leave.in_time, session.now)) return;
  const { student_id } = leave;
  const seats = state.seats.map((seat) => (seat.student_id === student_id ? { ...seat, leave } : seat));
  const credit = newCredit(policy, state.lesson.ends_at, session.now);
  const approved = { ...leave, status: 'approved' as const, decided_at: session.now.toISOString(), credit };
  await runCascade(session, {
    policy,
    lessons: [{ ...state, seats }],
    instructions: new Map([[student_id, { leave: approved }]]),
    reason: null,
    trigger: 'leave decided',
  });
};

export const OWN_LEAVE_ONLY = 'Students may request leave for themselves only';

const requestOf = (
  { reason, called_at = null, called_by = null, override_reason = null }: Input<typeof leaveCalls.requestLeave>['body'],
  student_id: string,
  requested_by: string,
): LeaveRequest => ({
  student_id,
  reason,
  requested_by,
  called_at,
  called_by: called_by ?? (called_at === null ? null : student_id),
  override_reason,
});

/** A new leave replaces one that ended with its lesson or membership: the older one is not restored any more. */
const REPLACE_ENDED = statement(
  `update leave set ended_from = null
   where org_id = $1 and lesson_id = any($2::uuid[]) and student_id = $3 and ended_from is not null`,
);

/** Requests leave from one lesson, or from each lesson of a range: all of them or none. */
export const requestLeave: Handler<typeof leaveCalls.requestLeave> = async ({ body }, session) => {
  const student_id = session.access.requestedStudent(body.student_id, '/body/student_id', OWN_LEAVE_ONLY);
  const loaded = await lockSeats(session, await requestedLessons(session, student_id, body));
  await requireLessonAndStudent(session, loaded, student_id, '/body');
  const request = requestOf(body, student_id, session.actor_id);
  const leaves = await checkAndCreateLeaves(session, loaded, request, '/body');
  const quota = request.override_reason === null ? loaded.policy.leave.quota_per_30_days : null;
  const wanted = loaded.lessons.map(({ lesson }) => lesson);
  await requireQuota(session, student_id, wanted, quota, loaded.policy);
  const lesson_ids = wanted.map(({ id }) => id);
  session.run(REPLACE_ENDED, session.org_id, lesson_ids, student_id);
  session.insert(LEAVE, ...leaves.map(({ credit: _none, ...leave }) => ({ org_id: session.org_id, ...leave })));
  session.publishOnCommit(publishLeaveEvents, leaves);
  auditLeaves(
    session,
    leaves.map((after) => ({ before: null, after })),
    body.reason,
  );
  for (const leave of leaves) await approveAtOnce(session, loaded, leave);
  const ids = leaves.map(({ id }) => id);
  return { items: await readWrittenLeaves(session, ids) };
};
