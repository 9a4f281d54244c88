import { type Session, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy-in-force.ts';
import { MEMBER } from '../record/member.table.ts';
import { seesPrices, studentSeesPrices } from './prices.rules.ts';

const BIRTHDAY = statement(
  'select birthday from member where org_id = $1 and user_id = $2',
  MEMBER.some('birthday').shape,
);

/** Whether the caller may see what was paid: staff, guardians by their link, students by the policy. */
export const maySeePrices = async (session: Session): Promise<boolean> => {
  const { caller, org_id, now } = session;
  const isSaid = seesPrices(caller);
  if (isSaid !== undefined) return isSaid;
  const [policy, member] = await Promise.all([
    policyInForce(session, org_id),
    session.one(BIRTHDAY, org_id, caller.user_id),
  ]);
  return studentSeesPrices(policy, member?.birthday ?? null, now);
};
