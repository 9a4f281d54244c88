import { type Session, statement } from '@teaching/kit';
import { ERASED } from '../figures/names.ts';
import { GEN } from '../figures/sql.ts';
import { MEMBER } from '../records/member/table.ts';

const NAME = statement(
  `select display_name from member where org_id = $1 and gen = ${GEN} and user_id = $2
     and display_name <> '${ERASED}'`,
  MEMBER.some('display_name').shape,
);

/** What the directory calls somebody, once it does. */
export const nameOf = async (session: Session, user_id: string): Promise<string | null> =>
  (await session.one(NAME, session.org_id, user_id))?.display_name ?? null;
