import { HourEntry } from '@teaching/contracts';
import { instant, orNull } from '@teaching/kit';
import { names } from '../record/names.ts';
import { HOUR_ENTRY } from './hour-entry.table.ts';
import { HOUR_LOT } from './hour-lot.table.ts';

const ENTRY = HOUR_ENTRY.wire(HourEntry);
const BOUGHT = HOUR_LOT.some('package_id', 'package_title');
const NAMED = names('e', 'student_id', 'actor_id');
const LESSON_TIMES = { lesson_starts_at: instant().nullable(), lesson_ends_at: instant().nullable() };

/** Entries `e` as they are shown, each with what its lot `l` was bought with, and when its lesson `s` is. */
export const LEDGER = {
  columns: `${ENTRY.of('e')}, ${BOUGHT.of('l')}, ${NAMED.columns},
    s.starts_at as lesson_starts_at, s.ends_at as lesson_ends_at`,
  shape: { ...ENTRY.shape, ...orNull(BOUGHT.shape), ...NAMED.shape, ...LESSON_TIMES },
  from: `hour_entry e left join hour_lot l on l.org_id = e.org_id and l.student_id = e.student_id and l.id = e.lot_id
    left join lesson s on s.org_id = e.org_id and s.id = e.lesson_id`,
  org: 'e.org_id',
};
