import type { meCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy-in-force.ts';
import { MEMBER } from '../record/member.table.ts';
import { ownOrStaff } from './member.rules.ts';
import { READ_MEMBER } from './shown.ts';

const CHILD = MEMBER.some('user_id', 'display_name');
const CHILDREN = statement(
  `select ${CHILD.of('m')} from guardian g join member m on m.org_id = g.org_id and m.user_id = g.student_id
   where g.org_id = $1 and g.user_id = $2 order by m.display_name, m.user_id`,
  CHILD.shape,
);

/** Who calls, to the token and to the directory. */
export const getMe: Handler<typeof meCalls.getMe> = async (_input, session) => {
  const { org_id, caller } = session;
  const user_id = session.reach.self();
  const [member, children, { zone, currency, org_name }] = await Promise.all([
    session.one(READ_MEMBER, org_id, user_id),
    session.query(CHILDREN, org_id, user_id),
    policyInForce(session, org_id),
  ]);
  return {
    user_id,
    org_id,
    roles: [...caller.roles],
    member: member === undefined ? null : ownOrStaff(caller, member),
    children,
    policy: { zone, currency, org_name },
  };
};
