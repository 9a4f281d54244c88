import { notFound, type packageCalls } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { readSeen } from '../package/load-package.ts';
import { isOnSale } from '../package/package.rules.ts';
import { ITEMS, LISTED } from './item.table.ts';

/** What students see: items of a package that is on sale. */
const ON_SALE = statement(
  `select ${LISTED.columns} from course_package_item where org_id = $1 and package_id = $2 and exists (
     select from course_package p where p.org_id = $1 and p.id = $2 and p.active and p.published_at is not null
   ) order by position`,
  LISTED.shape,
);

/** The hottest read: items tell that their package is there and visible, so it is only asked for when there are none. */
export const listItems: Handler<typeof packageCalls.listItems> = async ({ path }, session) => {
  const wanted = session.reach.goesBy('offered') ? ON_SALE : ITEMS;
  const items = await session.query(wanted, session.org_id, path.package_id);
  if (items.length === 0) {
    const found = await readSeen(session, path.package_id);
    if (found === undefined || !session.reach.covers({ offered: isOnSale(found) })) throw notFound('Package');
  }
  return { items, next_cursor: null };
};
