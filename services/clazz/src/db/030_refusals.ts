import { migration, tenantTable } from '@teaching/kit';

/** Refused callers, for supervisors. Gateways send them for all orgs, so the worker role writes them. */
export const refusals = migration(
  '126_refusals',
  `
  create table refusal (
    org_id uuid not null,
    id uuid not null,
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null,
    count int not null check (count > 0),
    user_id text,
    method text,
    route text,
    status int not null,
    reason text not null,
    address text,
    primary key (org_id, id)
  );
  create index refusal_first on refusal (org_id, first_at, id);
  create index refusal_user on refusal (org_id, user_id, first_at, id);
  create index refusal_old on refusal (first_at);
  ${tenantTable('clazz', 'refusal', { app: 'select, delete', worker: 'select, insert, update, delete' })}
`,
);
