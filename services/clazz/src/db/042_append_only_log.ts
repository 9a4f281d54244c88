import { appendOnlyLog, migration } from '@teaching/kit';

export const appendOnlyEvents = appendOnlyLog('144_append_only_log', 'clazz');

/** The worker role appends to the chains of the audit log. It never sets the end of a chain back. */
export const appendOnlyChains = migration(
  '145_append_only_chains',
  `
  revoke update on audit_head from clazz_worker;
  grant update (entries, hash, at) on audit_head to clazz_worker;
  create trigger only_grows before update on audit_head for each row
    when (current_user = 'clazz_worker'
      and (new.entries < old.entries or new.entries = old.entries and new.hash is distinct from old.hash))
    execute function log_only_grows();
`,
);
