import { isDeepStrictEqual } from 'node:util';
import type { policyCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { policyInForce } from './policy-in-force.ts';

/** Policies of one org are set one after the other. */
const LOCK = statement("select pg_advisory_xact_lock(hashtextextended('policy ' || $1, 0))");
const STORE = statement(
  'insert into policy (org_id, version, settings, created_at, created_by) values ($1, $2, $3, $4, $5)',
);

/** Adds the next version; versions are never changed, since charges are stamped with them. */
export const putPolicy: Handler<typeof policyCalls.put> = async ({ body }, session) => {
  session.run(LOCK, session.org_id);
  const { version, ...settings } = await policyInForce(session, session.org_id);
  session.checkVersion(version);
  if (isDeepStrictEqual(settings, body)) return { ...settings, version };
  const { org_id, now, caller } = session;
  session.run(STORE, org_id, version + 1, JSON.stringify(body), now, caller.user_id);
  return { ...body, version: version + 1 };
};
