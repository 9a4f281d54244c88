import { migration } from '@teaching/kit';

/**
 * A read of a list with records of several classes is one audit entry, found from each of them.
 * The follower applies each event once, so no lookup by event is needed. The event id stays stored with an entry.
 */
export const listsInTheTrail = migration(
  '103_lists_in_the_trail',
  `
  alter table clazz_audit_log
    alter column clazz_id drop not null,
    add column clazz_ids uuid[],
    add check ((clazz_id is null) = (clazz_ids is not null)),
    drop constraint clazz_audit_log_org_id_id_key;
  drop index clazz_audit_log_event;
  -- Rows without a list are not in it: a null in such an index would cost an entry, too. What is new waits in a
  -- list that every search reads as well, so that is kept short.
  create index clazz_audit_log_clazzes on clazz_audit_log using gin (clazz_ids)
    with (gin_pending_list_limit = 512) where clazz_ids is not null;
  drop index clazz_audit_log_clazz;
  create index clazz_audit_log_clazz on clazz_audit_log (org_id, clazz_id, seq) where clazz_id is not null;
`,
);
