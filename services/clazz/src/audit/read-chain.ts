import { AuditEntry } from '@teaching/contracts';
import { notNull, bigint, p, type Session, statement } from '@teaching/kit';
import { AUDIT_ANCHOR, AUDIT_FORMER, AUDIT_HEAD, AUDIT_LOG } from './audit.tables.ts';
import {
  type ChainSupplement,
  type ChainBreak,
  type ChainEntry,
  checkChain,
  GENESIS,
  type Head,
} from './chain.rules.ts';
import { textsOf } from './erase-texts.ts';

/** A session or transaction that reads the trail of one organization. */
export type ChainReading = Pick<Session, 'org_id' | 'query'>;

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

/** The step from the former chain to this one, if the org had entries then, and where the former one was broken. */
export const readAnchor = async (reading: ChainReading) => {
  const [found] = await reading.query(ANCHOR, reading.org_id);
  if (found === undefined) return {};
  const { at, entries, hash, hash_before, broken_seq, broken_why } = found;
  const brokenBefore: ChainBreak | undefined =
    broken_seq === null ? undefined : { seq: broken_seq, id: null, why: broken_why ?? '' };
  return { reanchored: { at, entries, hash, hash_before }, brokenBefore };
};

/** A head of the former chain, kept elsewhere, as it stands in this one; any other stays as it is. */
export const currentState = async (session: Session, head: Head): Promise<Head> => {
  if (head.entries === 0) return head;
  const [found] = await session.query(NOW, session.org_id, head.entries, head.hash);
  return found === undefined ? head : { ...head, hash: found.hash };
};

/** What stands beside these entries, which follow each other. */
const readSupplement = async (reading: ChainReading, entries: readonly ChainEntry[]): Promise<ChainSupplement> => {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return { texts: new Map(), former: new Map() };
  const [texts, former] = await Promise.all([
    textsOf(reading, entries),
    reading.query(FORMER, reading.org_id, first.seq - 1, last.seq),
  ]);
  return { texts, former: new Map(former.map(({ seq, hash }) => [seq, hash])) };
};

/** Where a chain ends. */
export interface ChainEnd extends Head {
  /** When its newest entry happened. */
  at: string | null;
  /** The number of the newest entry there is: the head's, unless entries were put behind it. */
  last: number;
}

const AT = AUDIT_HEAD.omit('org_id');
/**
 * Where the chain ends, and how many entries there are, in one statement, so that both are of one moment. A head that
 * somebody removed leaves entries behind nothing.
 */
const HEAD = statement(
  `select coalesce(h.entries, 0) as entries, coalesce(h.hash, $2) as hash, h.at, coalesce(l.last, 0) as last
   from (select max(seq) as last from clazz_audit_log where org_id = $1) as l
   left join audit_head as h on h.org_id = $1`,
  { ...AT.shape, entries: notNull(bigint()), hash: notNull(p.text()), last: notNull(bigint()) },
);

export const readHead = async (reading: ChainReading): Promise<ChainEnd> =>
  (await reading.query(HEAD, reading.org_id, GENESIS))[0] ?? { entries: 0, hash: GENESIS, at: null, last: 0 };

/** How far a chain was recomputed, and what stopped it. */
export interface ChainWalk {
  head: Head;
  broken?: ChainBreak;
}

/** What the hash covers, as the contract says. */
const ENTRY = AUDIT_LOG.contractColumns(AuditEntry);
const ENTRIES = statement(
  `select ${ENTRY.columns} from clazz_audit_log where org_id = $1 and seq > $2 and seq <= $3 order by seq limit $4`,
  ENTRY.shape,
);

const doesEnd = (head: Head, end: ChainEnd): boolean =>
  head.entries === end.entries && head.hash === end.hash && end.last <= end.entries;

/** Recomputes the next entries after a trusted head, `most` of them; those after `end` are not looked at. */
export const walkChain = async (reading: ChainReading, from: Head, end: ChainEnd, most: number): Promise<ChainWalk> => {
  const entries = await reading.query(ENTRIES, reading.org_id, from.entries, end.entries, most);
  const walk = checkChain(from, entries, await readSupplement(reading, entries));
  const isUnderWay = entries.length > 0 && walk.head.entries < end.entries;
  if (walk.broken !== undefined || isUnderWay || doesEnd(walk.head, end)) return walk;
  return { ...walk, broken: { seq: walk.head.entries + 1, id: null, why: 'the chain does not end in its head' } };
};
