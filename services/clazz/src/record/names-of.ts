import { type Session, statement } from '@teaching/kit';
import { MEMBER } from './member.table.ts';

const NAME = MEMBER.some('user_id', 'display_name');
const NAMES = statement(
  `select ${NAME.columns} from member where org_id = $1 and user_id = any($2::text[])`,
  NAME.shape,
);

/**
 * What the directory calls some people: by one statement, of a session or of a look before its transaction. The answer
 * gives the name of each, null for whom it does not know and for nobody.
 */
export const namesOf = async (
  reader: Pick<Session, 'query'>,
  org_id: string,
  people: Iterable<string | null>,
): Promise<(id: string | null) => string | null> => {
  const ids = [...new Set(people)].filter((id) => id !== null);
  const rows = ids.length === 0 ? [] : await reader.query(NAMES, org_id, ids);
  const known = new Map<string | null, string>(rows.map((row) => [row.user_id, row.display_name]));
  return (id) => known.get(id) ?? null;
};
