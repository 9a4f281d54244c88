import type { packageCalls } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { readState, requireSeen } from '../package/load-package.ts';
import { ITEMS, LISTED } from './item.table.ts';
import { KeptLists } from './kept-lists.ts';

/** What students see: items of a package that is on sale. */
const ON_SALE = statement(
  `select ${LISTED.columns} from course_package_item where org_id = $1 and package_id = $2 and exists (
     select from course_package p where p.org_id = $1 and p.id = $2 and p.active and p.published_at is not null
   ) order by position`,
  LISTED.shape,
);

const lists = new KeptLists();

/** State before items: a text may be newer than the state it is kept with, and then is never found, but not older. */
const listKept = async (session: Session, id: string) => {
  const { org_id } = session;
  const state = requireSeen(session, await readState(session, id));
  return lists.find(org_id, id, state) ?? lists.keep(org_id, id, state, await session.query(ITEMS, org_id, id));
};

/** The hottest read: items tell that their package is there and visible, so it is only asked for when there are none. */
export const listItems: Handler<typeof packageCalls.listItems> = async ({ path: { package_id } }, session) => {
  if (lists.isAskedAgain(session.org_id, package_id)) return listKept(session, package_id);
  const wanted = session.reach.goesBy('offered') ? ON_SALE : ITEMS;
  const items = await session.query(wanted, session.org_id, package_id);
  if (items.length === 0) requireSeen(session, await readState(session, package_id));
  return { items, next_cursor: null };
};
