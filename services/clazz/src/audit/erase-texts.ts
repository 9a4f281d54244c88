import { type Session, statement } from '@teaching/kit';

/** Erases what lies beside the trail about person $2 of org $1, at $3. The chain stays as it is. */
export const ERASE_FROM_TRAIL = `update audit_text set key = null, text = null, people = '{}', erased_at = $3
  where org_id = $1 and people @> array[$2::text] and text is not null returning former_seq`;

const FORGET_HASHES = statement('delete from audit_former where org_id = $1 and seq >= $2');
const FORGET_HEAD = statement(
  'update audit_anchor set hash_before = null where org_id = $1 and hash_before is not null',
);

/** The hashes that an erased text went into, from the entry that held it on, would say whether a guess at it is right. */
export const forgetFormerChain = (session: Session, first: number): void => {
  session.run(FORGET_HASHES, session.org_id, first);
  session.run(FORGET_HEAD, session.org_id);
};
