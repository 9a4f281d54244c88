import { concurrentIndex, migration, repeatableStatement, stepwise } from '@teaching/kit';

/** A `reverse` entry without a lesson undoes a grant. The check permits everything that it permitted before. */
export const undoneGrants = migration(
  '142_undone_grants',
  `alter table hour_entry
     drop constraint hour_entry_check2,
     add constraint hour_entry_lesson check (kind = 'reverse' or (lesson_id is not null) = (kind = 'consume')) not valid`,
);
export const undoneGrantsChecked = stepwise(
  '143_undone_grants_checked',
  repeatableStatement('alter table hour_entry validate constraint hour_entry_lesson'),
  concurrentIndex('hour_lot_id', 'on hour_lot (org_id, id)'),
);
