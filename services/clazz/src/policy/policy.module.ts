import { policyCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { getPolicy, getPolicyCurrency, putPolicy } from './policy.ts';

/** Reads and sets the policy of an organization. */
export const policyModule: Module = {
  routes: [...routes(policyCalls, { getPolicy, putPolicy, currency: getPolicyCurrency })],
};
