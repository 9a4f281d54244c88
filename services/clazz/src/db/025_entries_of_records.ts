import { migration } from '@teaching/kit';

/** Entries of the trail about one record are found by it, whatever else the organization has done since. */
export const entriesOfRecords = migration(
  '120_entries_of_records',
  'create index clazz_audit_log_entity on clazz_audit_log (org_id, entity_id, seq);',
);
