import { HourEntry, MARKS } from '@teaching/contracts';
import { instant, names, orNull, p } from '@teaching/kit';
import { HOUR_ENTRY } from './hour-entry.table.ts';
import { HOUR_LOT } from './hour-lot.table.ts';

const ENTRY = HOUR_ENTRY.wire(HourEntry);
const BOUGHT = HOUR_LOT.some('package_id', 'package_title');
const NAMED = names('e', 'student_id', 'actor_id');
const LESSON_TIMES = { lesson_starts_at: instant().nullable(), lesson_ends_at: instant().nullable() };

/** Looked up for the rows of a page, one by one: a join could be made with all lots or lessons of the org. */
const ofLot = (column: string): string =>
  `(select ${column} from hour_lot where org_id = e.org_id and student_id = e.student_id and id = e.lot_id) as ${column}`;
const ofLesson = (column: string): string =>
  `(select ${column} from lesson where org_id = e.org_id and id = e.lesson_id) as lesson_${column}`;
const CLAZZ_NAME = `(select c.name from lesson l join clazz c on c.org_id = l.org_id and c.id = l.clazz_id
  where l.org_id = e.org_id and l.id = e.lesson_id) as clazz_name`;
const MARK = `(select mark from mark_revision m where m.org_id = e.org_id and m.lesson_id = e.lesson_id
  and m.student_id = e.student_id and m.revision = e.mark_revision) as mark`;
const WHY = { clazz_name: p.text().nullable(), mark: p.enum(MARKS).nullable() };

/** Entries `e` as they are shown, each with what its lot was bought with, and which lesson and mark it is for. */
export const LEDGER = {
  columns: `${ENTRY.of('e')}, ${ofLot('package_id')}, ${ofLot('package_title')}, ${NAMED.columns},
    ${ofLesson('starts_at')}, ${ofLesson('ends_at')}, ${CLAZZ_NAME}, ${MARK}`,
  shape: { ...ENTRY.shape, ...orNull(BOUGHT.shape), ...NAMED.shape, ...LESSON_TIMES, ...WHY },
  from: 'hour_entry e',
  org: 'e.org_id',
};
