import type { Role } from '../../../libs/contracts/src/scalars.ts';
import type { Caller } from '../../../libs/kit/src/index.ts';

/** A caller for tests of rules without a service. */
export const caller = (user_id: string, ...roles: Role[]): Caller => ({
  org_id: 'o',
  user_id,
  roles,
  request_id: 'r',
  ip: undefined,
});
