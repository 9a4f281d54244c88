import { unknownIds } from '@teaching/contracts';
import { always, p, type Session, statement } from '@teaching/kit';

const MISSING = statement(
  `select (w.n - 1)::int as index from unnest($2::uuid[]) with ordinality as w (id, n)
   where (select true from clazz c where c.org_id = $1 and c.id = w.id) is null order by w.n`,
  { index: always(p.integer()) },
);

/** 404 naming each class of the list that is not there; before the transaction begins. */
export const requireClazzes = async (
  session: Session,
  clazz_ids: readonly string[] | null | undefined,
): Promise<void> => {
  if (clazz_ids == null) return;
  const missing = await session.peek(MISSING, session.org_id, clazz_ids);
  if (missing.length === 0) return;
  throw unknownIds(missing.map(({ index }) => ({ path: `/body/clazz_ids/${index}`, message: 'does not exist' })));
};
