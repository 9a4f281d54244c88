import { p } from '@mikro-orm/postgresql';
import { always, type Session, statement } from '@teaching/kit';
import { GEN } from '../figures/sql.ts';
import { ERASED, MEMBER } from '../records/member/table.ts';

const NAME = statement(
  `select display_name from member where org_id = $1 and gen = ${GEN} and user_id = $2
     and display_name <> '${ERASED}'`,
  MEMBER.some('display_name').shape,
);

/** What the directory calls somebody, once it does. */
export const nameOf = async (session: Session, user_id: string): Promise<string | null> =>
  (await session.one(NAME, session.org_id, user_id))?.display_name ?? null;

const NAMES = statement(
  `select id::text, name from clazz where org_id = $1 and gen = ${GEN} and id = any ($2::uuid[])
   union all
   select user_id, display_name from member where org_id = $1 and gen = ${GEN} and user_id = any ($3::text[])
     and display_name <> '${ERASED}'`,
  { id: always(p.text()), name: always(p.text()) },
);

/** Names of classes and people by their ids, as far as they are known. */
export const namesOf = async (
  session: Session,
  clazz_ids: readonly string[],
  user_ids: readonly string[],
): Promise<Map<string, string>> => {
  const found = await session.query(NAMES, session.org_id, clazz_ids, user_ids);
  return new Map(found.map(({ id, name }) => [id, name]));
};
