import { migration, tenantTable } from '@teaching/kit';

/**
 * The audit log: one hash chain for each org (domain rules, section 8).
 * The request role reads, the worker role appends. No role may change or remove an entry. A trigger enforces this for
 * the owner of the table as well.
 */
export const auditTrail = migration(
  '004_audit_trail',
  `
  create table clazz_audit_log (
    org_id uuid not null,
    seq bigint not null check (seq > 0),
    id uuid not null,
    clazz_id uuid not null,
    action text not null check (action in ('create', 'read', 'update', 'delete')),
    entity text not null,
    entity_id text not null,
    actor_id text not null,
    actor_roles text[] not null,
    occurred_at timestamptz(3) not null,
    request_id text not null,
    trace_id text not null,
    ip text,
    reason text,
    changes jsonb not null,
    -- The event the entry came in: an event delivered again is recognized also without the inbox.
    event_id uuid not null,
    prev_hash text not null,
    hash text not null,
    primary key (org_id, seq),
    unique (org_id, id)
  );
  create index clazz_audit_log_clazz on clazz_audit_log (org_id, clazz_id, seq);
  create index clazz_audit_log_event on clazz_audit_log (org_id, event_id);
  ${tenantTable('clazz', 'clazz_audit_log', { app: 'select', worker: 'select, insert' })}

  create function audit_entries_stay() returns trigger language plpgsql as $$
    begin raise exception 'entries of the audit trail are never changed or removed'; end $$;
  create trigger entries_stay before update or delete or truncate on clazz_audit_log
    for each statement execute function audit_entries_stay();

  -- Where each org's chain ends; its row is the lock under which entries are appended.
  create table audit_head (
    org_id uuid primary key,
    entries bigint not null default 0,
    hash text not null,
    at timestamptz(3)
  );
  ${tenantTable('clazz', 'audit_head', { app: 'select', worker: 'select, insert, update' })}

  -- A reader of the trail waits until what was written before is in it.
  grant select on consumer_position to clazz_app;
`,
);
