import { p } from '@mikro-orm/postgresql';
import { always, bigint, type Session, statement } from '@teaching/kit';

const ERASE = statement(
  `with gone as (
     update audit_text set key = null, text = null, people = '{}', erased_at = $3
     where org_id = $1 and people @> array[$2::text] and text is not null returning former_seq
   ) select count(*)::int as texts, min(former_seq) as first from gone`,
  { texts: always(p.integer()), first: bigint().nullable() },
);
/** Hashes that a text went into say whether a guess at it is right. */
const FORGET_FORMER = statement('delete from audit_former where org_id = $1 and seq >= $2');
const FORGET_HEAD = statement(
  'update audit_anchor set hash_before = null where org_id = $1 and hash_before is not null',
);

/** Erases what lies beside the trail about a person: how many texts that were. The chain stays as it is. */
export const eraseFromTrail = async (session: Session, user_id: string): Promise<number> => {
  const { org_id, now } = session;
  const erased = await session.one(ERASE, org_id, user_id, now);
  if (erased?.first != null) {
    session.run(FORGET_FORMER, org_id, erased.first);
    session.run(FORGET_HEAD, org_id);
  }
  return erased?.texts ?? 0;
};
