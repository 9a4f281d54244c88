import type { packageCalls } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { readState, requireSeen } from '../package/load-package.ts';
import { ITEMS, LISTED } from './item.table.ts';
import { keyOf, lists, stateOf } from './kept-lists.ts';

/** What students see: items of a package that is on sale. */
const ON_SALE = statement(
  `select ${LISTED.columns} from course_package_item where org_id = $1 and package_id = $2 and exists (
     select from course_package p where p.org_id = $1 and p.id = $2 and p.active and p.published_at is not null
   ) order by position`,
  LISTED.shape,
);

/** State before items: a text may be newer than the state it is kept with, and then is never found, but not older. */
const listKept = async (session: Session, id: string, key: string) => {
  const state = stateOf(requireSeen(session, await readState(session, id)));
  const found = lists.find(key, state);
  return found ?? lists.keep(key, state, { items: await session.query(ITEMS, session.org_id, id), next_cursor: null });
};

/** The hottest read: items tell that their package is there and visible, so it is only asked for when there are none. */
export const listPackageItems: Handler<typeof packageCalls.listPackageItems> = async (
  { path: { package_id } },
  session,
) => {
  const { org_id, reach } = session;
  const key = keyOf(session, package_id);
  if (lists.isAskedAgain(key)) return listKept(session, package_id, key);
  const items = await session.query(reach.goesBy('offered') ? ON_SALE : ITEMS, org_id, package_id);
  if (items.length === 0) requireSeen(session, await readState(session, package_id));
  return { items, next_cursor: null };
};
