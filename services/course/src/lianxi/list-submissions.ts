import { lianxiCalls, notFound, type SubmissionStatus } from '@teaching/contracts';
import { equalsAnyOf, REQUEST_CLOCK, pagedList, twoStepHandler, type Session, statement } from '@teaching/kit';
import { lianxiAccess } from './assignment.ts';
import { clazzIdsOfCaller } from './lianxi-references.ts';
import { LIANXI } from './lianxi-rows.ts';
import { namedSubmissionView } from './submission.rules.ts';
import { NAMED_SUBMISSION, STORED_SUBMISSION } from './submission-rows.ts';

const EXISTS = statement('select id from lianxi where org_id = $1 and id = $2', LIANXI.pick('id').shape);

const CLAIMED = 's.claim_expires_at is not null and s.claim_expires_at > clock.now';

/** `marking` is not stored: it is a submitted attempt with a claim that has not expired. */
const SHOWN_STATUS = `(case when s.status = 'submitted' and ${CLAIMED} then 'marking' else s.status end)`;

export const submissionList = pagedList({
  columns: NAMED_SUBMISSION.columns,
  shape: NAMED_SUBMISSION.shape,
  from: STORED_SUBMISSION.from,
  bulky: true,
  org: 's.org_id',
  id: { by: 's.id', type: 'uuid' },
  sorts: { submitted_at: { by: 's.submitted_at', type: 'timestamptz' } },
  where: {
    lianxi_id: equalsAnyOf('s.lianxi_id'),
    own: 's.student_id = ?',
    student_id: equalsAnyOf('s.student_id'),
    teacher_id: 's.teacher_id = ?',
    status: equalsAnyOf(SHOWN_STATUS),
    // A literal instead of a parameter: the partial indexes have this condition.
    unmarked: "s.status = 'submitted'",
    claimed: CLAIMED,
    unclaimed: `not (${CLAIMED})`,
    claimable_by: '(s.claimed_by is null or s.claimed_by = ? or s.claim_expires_at <= clock.now)',
  },
  joins: { clock: REQUEST_CLOCK },
});

/** The list conditions of statuses. Those of unmarked attempts have an index. */
const statusConditions = (
  status: readonly SubmissionStatus[] | undefined,
): { status?: readonly string[] | undefined; unmarked?: boolean; claimed?: boolean; unclaimed?: boolean } => {
  const [submitted, marking] = [status?.includes('submitted') === true, status?.includes('marking') === true];
  const isUnmarked = status !== undefined && status.length === Number(submitted) + Number(marking);
  return isUnmarked ? { unmarked: true, claimed: !submitted, unclaimed: !marking } : { status };
};

const canRead = async (session: Session, lianxi_id: string, clazz_ids: readonly string[]): Promise<boolean> => {
  const { caller, org_id, access } = session;
  if (!access.isLimitedTo('member')) return (await session.queryOne(EXISTS, org_id, lianxi_id)) !== undefined;
  return access.allows({ member: (await lianxiAccess(session, lianxi_id, caller.user_id, clazz_ids)).canRead });
};

export const listSubmissions = twoStepHandler(lianxiCalls.listSubmissions, {
  prepare: (_input, session) => clazzIdsOfCaller(session),
  run: async ({ path, query }, session, clazz_ids) => {
    if (!(await canRead(session, path.id, clazz_ids))) throw notFound('Exercise');
    const { caller, now } = session;
    const own = session.access.isLimitedTo('member') ? caller.user_id : undefined;
    const { student_id, status } = query;
    const where = { lianxi_id: path.id, own, student_id, ...statusConditions(status) };
    const list = await submissionList(session, query, where, { clock: now });
    return { ...list, items: list.items.map((it) => namedSubmissionView(it, caller, now)) };
  },
});
