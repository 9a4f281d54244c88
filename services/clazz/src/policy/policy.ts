import { isDeepStrictEqual } from 'node:util';
import { type Policy, type policyCalls, PolicySettings, StoredPolicySettings } from '@teaching/contracts';
import { type Handler, instant, voidResult, p, statement, type Statement, table } from '@teaching/kit';
import type { z } from 'zod';
import { auditOrg, changesOf } from '../audit/record-audit.ts';

/** The versions of each org's policy from the second on; the first one is built in. Rows are only added. */
const POLICY = table('policy', {
  org_id: p.uuid().primary(),
  version: p.integer().primary(),
  /** As the caller set it, so fields that were introduced later may be missing. */
  settings: p.json<z.input<typeof PolicySettings>>(),
  created_at: instant(),
  created_by: p.text(),
});

const SETTINGS = POLICY.pick('version', 'settings');
const NEWEST = statement(
  `select ${SETTINGS.columns} from policy where org_id = $1 order by version desc limit 1`,
  SETTINGS.shape,
);

/** A session or the transaction of a job. */
interface Reader {
  query<R, P extends readonly unknown[]>(what: Statement<R, P>, ...params: P): Promise<R[]>;
}

/** Version 1, which every org starts with. */
export const DEFAULT_POLICY: Policy = { ...PolicySettings.parse({}), version: 1 };

/** The policy in force. Settings stored before a field existed get that field's default. */
export const policyInForce = async (reader: Reader, org_id: string): Promise<Policy> => {
  const [newest] = await reader.query(NEWEST, org_id);
  if (newest === undefined) return DEFAULT_POLICY;
  return { ...StoredPolicySettings.parse(newest.settings), version: newest.version };
};

export const getPolicy: Handler<typeof policyCalls.getPolicy> = (_input, session) =>
  policyInForce(session, session.org_id);

/** The currency of the org, for services that store an amount without a currency. */
export const getPolicyCurrency: Handler<typeof policyCalls.currency> = async (_input, session) => {
  const { currency } = await policyInForce(session, session.org_id);
  return { currency };
};

/** Serializes changes of the policy of one org. */
const ONE_BY_ONE = statement("select own_turn($1, 'policy')", {
  own_turn: voidResult(),
});

/** Adds the next version. Stored versions never change, because charges refer to them by number. */
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
  auditOrg(session, [
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
