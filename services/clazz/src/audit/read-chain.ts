import { AuditEntry } from '@teaching/contracts';
import { notNull, bigint, p, type Session, statement } from '@teaching/kit';
import { AUDIT_ANCHOR, AUDIT_FORMER, AUDIT_HEAD, AUDIT_LOG } from './audit.tables.ts';
import {
  type ChainSupplement,
  type ChainBreak,
  type ChainEntry,
  checkChain,
  GENESIS,
  type ChainHead,
} from './chain.rules.ts';
import { textsOf } from './erase-texts.ts';

/** A session or transaction that reads the audit log of one organization. */
export type ChainReader = Pick<Session, 'org_id' | 'query'>;

const KNOWN = AUDIT_FORMER.pick('seq', 'hash');
const FORMER = statement(
  `select ${KNOWN.columns} from audit_former where org_id = $1 and seq between $2 and $3`,
  KNOWN.shape,
);
const HASH = AUDIT_LOG.pick('hash');
const NOW = statement(
  `select l.hash from clazz_audit_log l join audit_former f on f.org_id = l.org_id and f.seq = l.seq
   where l.org_id = $1 and l.seq = $2 and f.hash = $3`,
  HASH.shape,
);

const ANCHOR = statement(`select ${AUDIT_ANCHOR.columns} from audit_anchor where org_id = $1`, AUDIT_ANCHOR.shape);

/**
 * The step from the former chain to this one, if the org had entries at that time, and where the former chain was
 * broken.
 */
export const readAnchor = async (reading: ChainReader) => {
  const [found] = await reading.query(ANCHOR, reading.org_id);
  if (found === undefined) return {};
  const { at, entries, hash, hash_before, broken_seq, broken_why } = found;
  const brokenBefore: ChainBreak | undefined =
    broken_seq === null ? undefined : { seq: broken_seq, id: null, why: broken_why ?? '' };
  return { reanchored: { at, entries, hash, hash_before }, brokenBefore };
};

/**
 * Converts a head of the former chain, which was exported, to the head of this chain. Returns any other head unchanged.
 */
export const toCurrentHead = async (session: Session, head: ChainHead): Promise<ChainHead> => {
  if (head.entries === 0) return head;
  const [found] = await session.query(NOW, session.org_id, head.entries, head.hash);
  return found === undefined ? head : { ...head, hash: found.hash };
};

/** The data beside these consecutive entries. */
const readSupplement = async (reading: ChainReader, entries: readonly ChainEntry[]): Promise<ChainSupplement> => {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return { texts: new Map(), former: new Map() };
  const [texts, former] = await Promise.all([
    textsOf(reading, entries),
    reading.query(FORMER, reading.org_id, first.seq - 1, last.seq),
  ]);
  return { texts, former: new Map(former.map(({ seq, hash }) => [seq, hash])) };
};

/** The end of a chain. */
export interface ChainEnd extends ChainHead {
  /** When the newest entry happened. */
  at: string | null;
  /** The number of the newest stored entry: the same as in the head, unless entries were added after it. */
  last: number;
}

const AT = AUDIT_HEAD.omit('org_id');
/**
 * The end of the chain and the number of its newest entry, by one statement and from one snapshot. If the head was
 * removed, entries without a head remain.
 */
const HEAD = statement(
  `select coalesce(h.entries, 0) as entries, coalesce(h.hash, $2) as hash, h.at, coalesce(l.last, 0) as last
   from (select max(seq) as last from clazz_audit_log where org_id = $1) as l
   left join audit_head as h on h.org_id = $1`,
  { ...AT.shape, entries: notNull(bigint()), hash: notNull(p.text()), last: notNull(bigint()) },
);

export const readHead = async (reading: ChainReader): Promise<ChainEnd> =>
  (await reading.query(HEAD, reading.org_id, GENESIS))[0] ?? { entries: 0, hash: GENESIS, at: null, last: 0 };

/** How far a chain was verified, and the break that stopped it. */
export interface ChainWalk {
  head: ChainHead;
  broken?: ChainBreak;
}

/** The columns that the hash covers: those of the contract. */
const ENTRY = AUDIT_LOG.contractColumns(AuditEntry);
const ENTRIES = statement(
  `select ${ENTRY.columns} from clazz_audit_log where org_id = $1 and seq > $2 and seq <= $3 order by seq limit $4`,
  ENTRY.shape,
);

const isAtEnd = (head: ChainHead, end: ChainEnd): boolean =>
  head.entries === end.entries && head.hash === end.hash && end.last <= end.entries;

/** Verifies the next entries after a trusted head, at most `most`. Entries after `end` are ignored. */
export const walkChain = async (
  reading: ChainReader,
  from: ChainHead,
  end: ChainEnd,
  most: number,
): Promise<ChainWalk> => {
  const entries = await reading.query(ENTRIES, reading.org_id, from.entries, end.entries, most);
  const walk = checkChain(from, entries, await readSupplement(reading, entries));
  const hasMore = entries.length > 0 && walk.head.entries < end.entries;
  if (walk.broken !== undefined || hasMore || isAtEnd(walk.head, end)) return walk;
  return { ...walk, broken: { seq: walk.head.entries + 1, id: null, why: 'the chain does not end in its head' } };
};
