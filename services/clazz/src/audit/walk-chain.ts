import { AuditEntry } from '@teaching/contracts';
import { statement } from '@teaching/kit';
import { AUDIT_LOG } from './audit-log.table.ts';
import { type Broken, checkChain, type Head } from './chain.rules.ts';
import { type ChainReading, readBeside } from './former-chain.ts';
import type { ChainEnd } from './read-head.ts';

/** How far a chain was recomputed, and what stopped it. */
export interface Walk {
  head: Head;
  broken?: Broken;
}

/** What the hash covers, as the contract says. */
const ENTRY = AUDIT_LOG.wire(AuditEntry);
const ENTRIES = statement(
  `select ${ENTRY.columns} from clazz_audit_log where org_id = $1 and seq > $2 and seq <= $3 order by seq limit $4`,
  ENTRY.shape,
);

const doesEnd = (head: Head, end: ChainEnd): boolean =>
  head.entries === end.entries && head.hash === end.hash && end.last <= end.entries;

/** Recomputes the next entries after a trusted head, `most` of them; those after `end` are not looked at. */
export const walkOn = async (reading: ChainReading, from: Head, end: ChainEnd, most: number): Promise<Walk> => {
  const entries = await reading.query(ENTRIES, reading.org_id, from.entries, end.entries, most);
  const walk = checkChain(from, entries, await readBeside(reading, entries));
  const isUnderWay = entries.length > 0 && walk.head.entries < end.entries;
  if (walk.broken !== undefined || isUnderWay || doesEnd(walk.head, end)) return walk;
  return { ...walk, broken: { seq: walk.head.entries + 1, id: null, why: 'the chain does not end in its head' } };
};
