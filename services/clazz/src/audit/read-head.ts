import { always, bigint, p, statement } from '@teaching/kit';
import { AUDIT_HEAD } from './audit-head.table.ts';
import { GENESIS, type Head } from './chain.rules.ts';
import type { ChainReading } from './former-chain.ts';

/** Where a chain ends. */
export interface ChainEnd extends Head {
  /** When its newest entry happened. */
  at: string | null;
  /** The number of the newest entry there is: the head's, unless somebody put entries behind it. */
  last: number;
}

const AT = AUDIT_HEAD.without('org_id');
/**
 * Where the chain ends, and how many entries there are, in one statement, so that both are of one moment. A head that
 * somebody removed leaves entries behind nothing.
 */
const HEAD = statement(
  `select coalesce(h.entries, 0) as entries, coalesce(h.hash, $2) as hash, h.at, coalesce(l.last, 0) as last
   from (select max(seq) as last from clazz_audit_log where org_id = $1) as l
   left join audit_head as h on h.org_id = $1`,
  { ...AT.shape, entries: always(bigint()), hash: always(p.text()), last: always(bigint()) },
);

export const readHead = async (reading: ChainReading): Promise<ChainEnd> =>
  (await reading.query(HEAD, reading.org_id, GENESIS))[0] ?? { entries: 0, hash: GENESIS, at: null, last: 0 };
