import type { policyCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { policyInForce } from './policy-in-force.ts';

export const getPolicy: Handler<typeof policyCalls.get> = (_input, session) => policyInForce(session, session.org_id);
