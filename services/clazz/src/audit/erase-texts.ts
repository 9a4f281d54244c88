import { type Session, statement } from '@teaching/kit';
import { AUDIT_TEXT } from './audit.tables.ts';
import type { AuditText, TextRef } from './audit-texts.rules.ts';

const FOUND = AUDIT_TEXT.pick('digest', 'key', 'text');
const TEXTS = statement(
  `select ${FOUND.columns} from audit_text where org_id = $1 and digest = any($2::text[])`,
  FOUND.shape,
);

/** The texts of these entries by their digests, including erased ones. */
export const textsOf = async (
  session: Pick<Session, 'org_id' | 'query'>,
  entries: readonly { texts: readonly TextRef[] | null }[],
): Promise<Map<string, AuditText>> => {
  const digests = entries.flatMap(({ texts }) => texts?.map(({ digest }) => digest) ?? []);
  const rows = digests.length === 0 ? [] : await session.query(TEXTS, session.org_id, digests);
  return new Map(rows.map((row) => [row.digest, row]));
};

/** Erases the texts about person `$2` of org `$1` at `$3`. The chain stays as it is. */
export const ERASE_AUDIT_TEXTS = `update audit_text set key = null, text = null, people = '{}', erased_at = $3
  where org_id = $1 and people @> array[$2::text] and text is not null returning former_seq`;

const REMOVE_HASHES = statement('delete from audit_former where org_id = $1 and seq >= $2');
const REMOVE_FORMER_HEAD = statement(
  'update audit_anchor set hash_before = null where org_id = $1 and hash_before is not null',
);

/**
 * Removes the former hashes from the entry `first` on. They depend on the erased text and could confirm a guess of it.
 */
export const removeFormerHashes = (session: Session, first: number): void => {
  session.run(REMOVE_HASHES, session.org_id, first);
  session.run(REMOVE_FORMER_HEAD, session.org_id);
};
