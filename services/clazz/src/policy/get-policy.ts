import type { policyCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { policyInForce } from './policy-in-force.ts';

export const getPolicy: Handler<typeof policyCalls.getPolicy> = (_input, session) =>
  policyInForce(session, session.org_id);

/** For services that store money of which nobody said the currency. */
export const policyCurrency: Handler<typeof policyCalls.currency> = async (_input, session) => {
  const { currency } = await policyInForce(session, session.org_id);
  return { currency };
};
