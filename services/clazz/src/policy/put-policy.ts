import { isDeepStrictEqual } from 'node:util';
import type { policyCalls } from '@teaching/contracts';
import { type Handler, nothing, statement } from '@teaching/kit';
import { auditOfOrg, changesOf } from '../audit/audit.ts';
import { POLICY } from './policy.table.ts';
import { policyInForce } from './policy-in-force.ts';

/** Policies of one org are set one after the other. */
const ONE_BY_ONE = statement("select own_turn($1, 'policy')", {
  own_turn: nothing(),
});

/** Adds the next version; versions are never changed, since charges are stamped with them. */
export const putPolicy: Handler<typeof policyCalls.putPolicy> = async ({ body }, session) => {
  const { org_id, now } = session;
  session.run(ONE_BY_ONE, org_id);
  const { version: current, ...settings } = await policyInForce(session, org_id);
  session.checkVersion(current);
  if (isDeepStrictEqual(settings, body)) return { ...settings, version: current };
  const version = current + 1;
  session.insert(POLICY, {
    org_id,
    version,
    settings: body,
    created_at: now.toISOString(),
    created_by: session.actor_id,
  });
  auditOfOrg(session, [
    {
      action: 'update',
      entity: 'policy',
      entity_id: org_id,
      reason: null,
      changes: changesOf({ ...settings, version: current }, { ...body, version }),
    },
  ]);
  return { ...body, version };
};
