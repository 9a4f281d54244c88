import { migration, tenantTable } from '@teaching/kit';

/** The progress and the result of verifying each chain. */
export const auditVerified = migration(
  '129_audit_verified',
  `
  create table audit_verified (
    org_id uuid primary key,
    entries bigint not null,
    hash text not null,
    began_at timestamptz(3) not null,
    is_done boolean not null,
    whole_entries bigint not null,
    whole_hash text not null,
    whole_at timestamptz(3) not null,
    broken_seq bigint,
    broken_why text,
    check ((broken_seq is null) = (broken_why is null))
  );
  create index audit_verified_whole on audit_verified (whole_at);
  create index audit_verified_broken on audit_verified (org_id) where broken_seq is not null;
  ${tenantTable('clazz', 'audit_verified', { app: 'select', worker: 'select, insert, update' })}
`,
);
