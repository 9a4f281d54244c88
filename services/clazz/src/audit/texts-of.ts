import { type Session, statement } from '@teaching/kit';
import { AUDIT_TEXT } from './audit-text.table.ts';
import type { Text, TextRef } from './texts.rules.ts';

const FOUND = AUDIT_TEXT.some('digest', 'key', 'text');
const TEXTS = statement(
  `select ${FOUND.columns} from audit_text where org_id = $1 and digest = any($2::text[])`,
  FOUND.shape,
);

/** The texts of these entries by their digests, also those that were erased. */
export const textsOf = async (
  session: Pick<Session, 'org_id' | 'query'>,
  entries: readonly { texts: readonly TextRef[] | null }[],
): Promise<Map<string, Text>> => {
  const digests = entries.flatMap(({ texts }) => texts?.map(({ digest }) => digest) ?? []);
  const rows = digests.length === 0 ? [] : await session.query(TEXTS, session.org_id, digests);
  return new Map(rows.map((row) => [row.digest, row]));
};
