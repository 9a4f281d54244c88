import { type Session, statement } from '@teaching/kit';
import { AUDIT_ANCHOR, AUDIT_FORMER } from './audit-anchor.table.ts';
import { AUDIT_LOG } from './audit-log.table.ts';
import type { Beside, Broken, ChainEntry, Head } from './chain.rules.ts';
import { textsOf } from './texts-of.ts';

/** Whoever may read the trail of one organization. */
export type ChainReading = Pick<Session, 'org_id' | 'query'>;

const KNOWN = AUDIT_FORMER.some('seq', 'hash');
const FORMER = statement(
  `select ${KNOWN.columns} from audit_former where org_id = $1 and seq between $2 and $3`,
  KNOWN.shape,
);
const HASH = AUDIT_LOG.some('hash');
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
  const brokenBefore: Broken | undefined =
    broken_seq === null ? undefined : { seq: broken_seq, id: null, why: broken_why ?? '' };
  return { reanchored: { at, entries, hash, hash_before }, brokenBefore };
};

/** A head of the former chain, kept elsewhere, as it stands in this one; any other stays as it is. */
export const asItIsNow = async (session: Session, head: Head): Promise<Head> => {
  if (head.entries === 0) return head;
  const [found] = await session.query(NOW, session.org_id, head.entries, head.hash);
  return found === undefined ? head : { ...head, hash: found.hash };
};

/** What stands beside these entries, which follow each other. */
export const readBeside = async (reading: ChainReading, entries: readonly ChainEntry[]): Promise<Beside> => {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return { texts: new Map(), former: new Map() };
  const [texts, former] = await Promise.all([
    textsOf(reading, entries),
    reading.query(FORMER, reading.org_id, first.seq - 1, last.seq),
  ]);
  return { texts, former: new Map(former.map(({ seq, hash }) => [seq, hash])) };
};
