import { HourEntry } from '@teaching/contracts';
import { orNull } from '@teaching/kit';
import { HOUR_ENTRY } from './hour-entry.table.ts';
import { HOUR_LOT } from './hour-lot.table.ts';

const ENTRY = HOUR_ENTRY.wire(HourEntry);
const BOUGHT = HOUR_LOT.some('package_id', 'package_title');

/** Entries `e` as they are shown, each with what its lot `l` was bought with. */
export const LEDGER = {
  columns: `${ENTRY.of('e')}, ${BOUGHT.of('l')}`,
  shape: { ...ENTRY.shape, ...orNull(BOUGHT.shape) },
  from: 'hour_entry e left join hour_lot l on l.org_id = e.org_id and l.student_id = e.student_id and l.id = e.lot_id',
  org: 'e.org_id',
};
