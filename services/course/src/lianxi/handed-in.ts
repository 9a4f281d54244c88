import { always, bigint, requireUnused, type Session, statement } from '@teaching/kit';

const HANDED_IN = statement('select count(*) as count from submission where org_id = $1 and lianxi_id = $2', {
  count: always(bigint()),
});

/** Nobody is marked by other questions than they answered. */
export const requireNotHandedIn = async (session: Session, lianxi_id: string): Promise<void> => {
  const found = await session.one(HANDED_IN, session.org_id, lianxi_id);
  requireUnused([{ what: 'submission', count: found?.count ?? 0 }]);
};
