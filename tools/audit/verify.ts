import { AuditEntry } from '../../libs/contracts/src/index.ts';
import { statement } from '../../libs/kit/src/index.ts';
import { AUDIT_ANCHOR } from '../../services/clazz/src/audit/audit-anchor.table.ts';
import { AUDIT_HEAD } from '../../services/clazz/src/audit/audit-head.table.ts';
import { AUDIT_LOG } from '../../services/clazz/src/audit/audit-log.table.ts';
import { type Broken, checkChain, GENESIS, type Head } from '../../services/clazz/src/audit/chain.rules.ts';
import { readBeside } from '../../services/clazz/src/audit/former-chain.ts';
import type { OrgReading, Reading } from './reading.ts';

const PART = 500;
const ENTRY = AUDIT_LOG.wire(AuditEntry);
const ENTRIES = statement(
  `select ${ENTRY.columns} from clazz_audit_log where org_id = $1 and seq > $2 order by seq limit ${PART}`,
  ENTRY.shape,
);
const HEADS = AUDIT_HEAD.some('org_id', 'entries', 'hash');
const ALL_HEADS = statement(
  `select ${HEADS.columns} from audit_head where org_id > $1::uuid order by org_id limit ${PART}`,
  HEADS.shape,
);
const HEAD = statement(`select ${HEADS.columns} from audit_head where org_id = $1`, HEADS.shape);
const FORMER = AUDIT_ANCHOR.some('broken_seq', 'broken_why');
const BROKEN_BEFORE = statement(
  `select ${FORMER.columns} from audit_anchor where org_id = $1 and broken_seq is not null`,
  FORMER.shape,
);
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** What became of one chain. */
export interface Verified {
  org_id: string;
  entries: number;
  /** The hash that it ends in, to be kept elsewhere. */
  head: string;
  first_broken?: Broken;
}

/** Where each chain ends, in order of the organizations. */
export async function* headsOf({ query }: Reading): AsyncGenerator<Head & { org_id: string }> {
  let after = BEFORE_ALL;
  for (;;) {
    const heads = await query(ALL_HEADS, after);
    yield* heads;
    const last = heads.at(-1);
    if (last === undefined) return;
    after = last.org_id;
  }
}

/** Walks one chain from its start to where it ended when this began; what is written meanwhile is not looked at. */
const walk = async (reading: OrgReading, goal: Head, onPart: (entries: number) => void, stop: AbortSignal) => {
  let head: Head = { entries: 0, hash: GENESIS };
  while (head.entries < goal.entries && !stop.aborted) {
    const found = await reading.query(ENTRIES, reading.org_id, head.entries);
    const part = found.filter(({ seq }) => seq <= goal.entries);
    if (part.length === 0) break;
    const checked = checkChain(head, part, await readBeside(reading, part));
    if (checked.broken !== undefined) return checked.broken;
    head = checked.head;
    onPart(part.length);
  }
  if (stop.aborted || (head.entries === goal.entries && head.hash === goal.hash)) return undefined;
  return { seq: head.entries + 1, id: null, why: 'the chain does not end in its head' };
};

/** Recomputes the chain of one organization, and the digests of its texts. */
export const verifyOrg = async (
  reading: Reading,
  org_id: string,
  onPart: (entries: number) => void,
  stop: AbortSignal,
): Promise<Verified> => {
  const own = reading.ofOrg(org_id);
  const [[goal], [before]] = await Promise.all([own.query(HEAD, org_id), own.query(BROKEN_BEFORE, org_id)]);
  const { entries, hash } = goal ?? { entries: 0, hash: GENESIS };
  const known: Broken | undefined =
    before === undefined ? undefined : { seq: before.broken_seq ?? 0, id: null, why: before.broken_why ?? '' };
  const first_broken = known ?? (await walk(own, { entries, hash }, onPart, stop));
  return { org_id, entries, head: hash, ...(first_broken === undefined ? {} : { first_broken }) };
};
