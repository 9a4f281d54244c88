import { type Item, notFound, type packageCalls } from '@teaching/contracts';
import { type Handler, isStaff, type Session, type Statement, statement } from '@teaching/kit';
import { maySee } from '../package/package.rules.ts';

const COLUMNS = `select i.id, i.package_id, i.course_id, i.course_section_id, i.title, i.hours, i.position, i.note
  from course_package_item i where i.org_id = $1 and i.package_id = $2`;
const ALL = statement<Item>(`${COLUMNS} order by i.position`);
/** What students see: items of a package that is on sale. */
const ON_SALE = statement<Item>(
  `${COLUMNS} and exists (
     select from course_package p where p.org_id = $1 and p.id = $2 and p.active and p.published_at is not null
   ) order by i.position`,
);
const PACKAGE = statement<{ active: boolean; published_at: string | null }>(
  'select active, published_at from course_package where org_id = $1 and id = $2',
);

const itemsFor = (session: Session): Statement<Item> => (isStaff(session.caller) ? ALL : ON_SALE);

/** The hottest read: items tell that their package is there and visible, so it is only asked for when there are none. */
export const listItems: Handler<typeof packageCalls.listItems> = async ({ path }, session) => {
  const items = await session.query(itemsFor(session), session.org_id, path.package_id);
  if (items.length === 0) {
    const found = await session.one(PACKAGE, session.org_id, path.package_id);
    if (found === undefined || !maySee(session.caller, found)) throw notFound('Package');
  }
  return { items, next_cursor: null };
};
