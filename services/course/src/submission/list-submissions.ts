import { lianxiCalls, notFound } from '@teaching/contracts';
import { atTime, type Filter, isStaff, pagedList, prepared, statement } from '@teaching/kit';
import { accessOf } from '../lianxi/assignment.ts';
import { clazzesOfCaller } from '../lianxi/references.ts';
import { equals } from '../shared/list.ts';
import { SUBMISSION_COLUMNS, SUBMISSION_FROM } from './submission-row.ts';
import { type StoredSubmission, viewOf } from './submission.rules.ts';

const EXISTS = statement<{ id: string }>('select id from lianxi where org_id = $1 and id = $2');

export const submissionList = pagedList<StoredSubmission, 'submitted_at'>({
  columns: SUBMISSION_COLUMNS,
  from: SUBMISSION_FROM,
  bulky: true,
  id: { by: 's.id', type: 'uuid' },
  sorts: { submitted_at: { by: 's.submitted_at', type: 'timestamptz' } },
});

const IN_HAND = 's.claim_expires_at is not null and s.claim_expires_at > clock.now';
const statusFilter = (status: string | undefined): Filter[] => {
  if (status === undefined) return [];
  if (status === 'marking') return [["s.status = 'submitted'"], [IN_HAND]];
  if (status === 'submitted') return [["s.status = 'submitted'"], [`not (${IN_HAND})`]];
  return [['s.status = ?', status]];
};

export const listSubmissions = prepared(lianxiCalls.listSubmissions, {
  prepare: (_input, session) => clazzesOfCaller(session),
  run: async ({ path, query }, session, clazz_ids) => {
    const { caller, org_id, now } = session;
    const staff = isStaff(caller);
    const found = staff
      ? (await session.one(EXISTS, org_id, path.id)) !== undefined
      : (await accessOf(session, path.id, caller.user_id, clazz_ids)).mayRead;
    if (!found) throw notFound('Lianxi');
    const list = await submissionList(
      session,
      query,
      [
        ['s.org_id = ?', org_id],
        ['s.lianxi_id = ?', path.id],
        ...(staff ? [] : [['s.student_id = ?', caller.user_id] satisfies Filter]),
        ...equals({ 's.student_id': query.student_id }),
        ...statusFilter(query.status),
      ],
      [atTime(now)],
    );
    return { ...list, items: list.items.map((it) => viewOf(it, caller, now)) };
  },
});
