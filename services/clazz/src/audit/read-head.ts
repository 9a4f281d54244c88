import { always, bigint, type Session, statement } from '@teaching/kit';
import { AUDIT_HEAD } from './audit-head.table.ts';
import { GENESIS } from './chain.rules.ts';

const AT = AUDIT_HEAD.without('org_id');
/** Where the chain ends, and how many entries there are: in one statement, so that both are of one moment. */
const HEAD = statement(
  `select ${AT.columns},
     coalesce((select max(seq) from clazz_audit_log as l where l.org_id = h.org_id), 0) as last
   from audit_head as h where org_id = $1`,
  { ...AT.shape, last: always(bigint()) },
);

export const readHead = async (session: Session) =>
  (await session.one(HEAD, session.org_id)) ?? { entries: 0, hash: GENESIS, at: null, last: 0 };
