import { migration, numberedLog } from '@teaching/kit';

/** SQL condition: the audit event is already in the audit log. */
const IN_THE_TRAIL = 'exists (select from clazz_audit_log as a where a.org_id = o.org_id and a.event_id = o.id)';

export const numberedEvents = numberedLog('clazz', { follower: "'audit'", audit: true, applied: IN_THE_TRAIL });

/**
 * The ranges that the audit log cannot prove, because the database was restored or its log was cut.
 * They apply to all organizations, because a database is restored as a whole.
 */
export const auditBreaks = migration(
  '101_audit_breaks',
  `
  create table audit_break (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null default now(),
    -- The log's epoch and number up to which entries had been taken, and where it went on.
    epoch int not null,
    no bigint not null,
    on_from bigint not null,
    why text not null
  );
  grant select on audit_break to clazz_app;
  grant select, insert on audit_break to clazz_worker;
`,
);
