import type { packageCalls } from '@teaching/contracts';
import { AnswerCache, type Handler, statement } from '@teaching/kit';
import { readPackageState, requireVisible } from '../package/load-package.ts';
import { ITEMS_OF_PACKAGE, LISTED_ITEM } from './item.table.ts';

/** The items that students may read: those of a package that is on sale. */
const ON_SALE = statement(
  `select ${LISTED_ITEM.columns} from course_package_item where org_id = $1 and package_id = $2 and exists (
     select from course_package p where p.org_id = $1 and p.id = $2 and p.active and p.published_at is not null
   ) order by position`,
  LISTED_ITEM.shape,
);

const cache = new AnswerCache();

/**
 * The most frequent read. Rows prove that their package exists and is visible. So the package is read only if there
 * are no rows, and as the state of a cached list: every write of items changes its version and time
 * (`syncPackageItems`).
 */
export const listPackageItems: Handler<typeof packageCalls.listPackageItems> = ({ path: { package_id } }, session) => {
  const readVisible = async () => requireVisible(session, await readPackageState(session, package_id));
  return cache.answer(session, {
    key: ['listPackageItems', package_id],
    state: async () => {
      const { version, updated_at } = await readVisible();
      return `${version} ${updated_at}`;
    },
    compute: async () => {
      const rows = session.access.isLimitedTo('offered') ? ON_SALE : ITEMS_OF_PACKAGE;
      const items = await session.query(rows, session.org_id, package_id);
      if (items.length === 0) await readVisible();
      return { answer: { items, next_cursor: null } };
    },
  });
};
