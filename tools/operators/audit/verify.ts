import { statement } from '../../../libs/kit/src/index.ts';
import { AUDIT_HEAD } from '../../../services/clazz/src/audit/audit.tables.ts';
import { type ChainBreak, GENESIS, type ChainHead } from '../../../services/clazz/src/audit/chain.rules.ts';
import {
  type ChainEnd,
  readAnchor,
  readHead,
  type ChainWalk,
  walkChain,
} from '../../../services/clazz/src/audit/read-chain.ts';
import type { OrganizationAuditReader, AuditReader } from './audit-reader.ts';

const PART = 500;
const HEADS = AUDIT_HEAD.pick('org_id', 'entries', 'hash');
const ALL_HEADS = statement(
  `select ${HEADS.columns} from audit_head where org_id > $1::uuid order by org_id limit ${PART}`,
  HEADS.shape,
);
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The result of verifying one chain. */
export interface Verified {
  org_id: string;
  entries: number;
  /** The last hash; store it elsewhere to prove later that the chain is whole. */
  head: string;
  first_broken?: ChainBreak;
}

/** The last hash of each chain, ordered by organization. */
export async function* headsOf({ query }: AuditReader): AsyncGenerator<ChainHead & { org_id: string }> {
  let after = BEFORE_ALL;
  for (;;) {
    const heads = await query(ALL_HEADS, after);
    yield* heads;
    const last = heads.at(-1);
    if (last === undefined) return;
    after = last.org_id;
  }
}

/** Walks one chain from its start to its end at the beginning of the walk. Later entries are ignored. */
const walk = async (
  reading: OrganizationAuditReader,
  end: ChainEnd,
  onPart: (entries: number) => void,
  stop: AbortSignal,
) => {
  let { head, broken }: ChainWalk = { head: { entries: 0, hash: GENESIS } };
  do {
    const before = head.entries;
    ({ head, broken } = await walkChain(reading, head, end, PART));
    onPart(head.entries - before);
  } while (broken === undefined && head.entries < end.entries && !stop.aborted);
  return broken;
};

/** Recomputes the chain of one organization, and the digests of its texts. */
export const verifyOrg = async (
  reading: AuditReader,
  org_id: string,
  onPart: (entries: number) => void,
  stop: AbortSignal,
): Promise<Verified> => {
  const own = reading.ofOrg(org_id);
  const [end, { brokenBefore }] = await Promise.all([readHead(own), readAnchor(own)]);
  const first_broken = brokenBefore ?? (await walk(own, end, onPart, stop));
  return { org_id, entries: end.entries, head: end.hash, ...(first_broken === undefined ? {} : { first_broken }) };
};
