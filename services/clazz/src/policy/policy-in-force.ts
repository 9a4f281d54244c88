import { type Policy, PolicySettings } from '@teaching/contracts';
import { type Statement, statement } from '@teaching/kit';
import { POLICY } from './policy.table.ts';

const SETTINGS = POLICY.some('version', 'settings');
const NEWEST = statement(
  `select ${SETTINGS.columns} from policy where org_id = $1 order by version desc limit 1`,
  SETTINGS.shape,
);

/** A session or a job's transaction. */
interface Reader {
  query<R, P extends readonly unknown[]>(what: Statement<R, P>, ...params: P): Promise<R[]>;
}

/** Version 1: what every org starts with. */
export const DEFAULT_POLICY: Policy = { ...PolicySettings.parse({}), version: 1 };

/** The policy in force. Settings stored before a field existed get that field's default. */
export const policyInForce = async (reader: Reader, org_id: string): Promise<Policy> => {
  const [newest] = await reader.query(NEWEST, org_id);
  if (newest === undefined) return DEFAULT_POLICY;
  return { ...PolicySettings.parse(newest.settings), version: newest.version };
};
