import { migration, tenantTable } from '@teaching/kit';

/**
 * People whose tokens are revoked.
 * Gateways read the changes since their last read. So a row contains the transaction that wrote it, and stays for a
 * while after access is restored.
 */
export const shutOut = migration(
  '123_shut_out',
  `
  create table shut_out (
    org_id uuid not null,
    user_id text not null,
    inactive boolean not null,
    -- No token counts that was issued up to this moment.
    signed_out_at timestamptz(3),
    changed xid8 not null default pg_current_xact_id(),
    changed_at timestamptz(3) not null,
    primary key (org_id, user_id)
  );
  create index shut_out_changed on shut_out (changed);
  create index shut_out_signed_out on shut_out (org_id, signed_out_at) where signed_out_at is not null;
  create index shut_out_let_in on shut_out (changed_at) where not inactive and signed_out_at is null;
  ${tenantTable('clazz', 'shut_out', { app: 'select, insert, update', worker: 'select, update, delete' })}
  insert into shut_out (org_id, user_id, inactive, changed_at)
  select org_id, user_id, true, updated_at from member where status = 'inactive';

  -- Calendar addresses end with a sign-out.
  grant delete on calendar_feed to clazz_worker;
`,
);
