import { p } from '@mikro-orm/postgresql';
import { type Session, statement } from '@teaching/kit';

const FIND = statement('select user_id, display_name from member where org_id = $1 and user_id = any($2::text[])', {
  user_id: p.text(),
  display_name: p.text(),
});

/** What the directory calls some people, for answers that are made of no list: `null` where it does not know them. */
export const studentNames = async (session: Session, ids: readonly string[]) => {
  const found = new Map(
    (await session.query(FIND, session.org_id, ids)).map(({ user_id, display_name }) => [user_id, display_name]),
  );
  return (id: string): string | null => found.get(id) ?? null;
};
