import { Item } from '@teaching/contracts';
import { hundredths, p, statement, table } from '@teaching/kit';

export const ITEM = table('course_package_item', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  package_id: p.uuid(),
  course_id: p.uuid(),
  course_section_id: p.uuid().nullable(),
  title: p.text(),
  hours: hundredths(),
  position: p.integer(),
  note: p.text().nullable(),
});

/** The columns of an item in an answer. */
export const LISTED_ITEM = ITEM.contractColumns(Item);

/** The items of a package, by position. */
export const ITEMS_OF_PACKAGE = statement(
  `select ${LISTED_ITEM.columns} from course_package_item where org_id = $1 and package_id = $2 order by position`,
  LISTED_ITEM.shape,
);
