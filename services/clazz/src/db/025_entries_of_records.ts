import { migration } from '@teaching/kit';

/** An index of audit entries by record, so that their cost does not depend on the size of the log. */
export const entriesOfRecords = migration(
  '120_entries_of_records',
  'create index clazz_audit_log_entity on clazz_audit_log (org_id, entity_id, seq);',
);
