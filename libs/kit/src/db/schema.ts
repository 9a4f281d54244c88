import { BOUND_ORG } from './bound-organization.ts';
import { type TransactionalMigration, migration } from './migration.ts';
import { organizationEndTable } from './organization-deletion.ts';

/** `BOUND_ORG`, evaluated once per statement. */
const CURRENT_ORG = `(select ${BOUND_ORG})`;

export interface TableAccess {
  /** The privileges of the request role. Rows of other orgs are invisible to it. */
  app: string;
  /** The privileges of the worker role (event processing and jobs), for all orgs. */
  worker: string;
}

const FULL = 'select, insert, update, delete';

/**
 * Forces row-level security on one tenant table. The request role sees and writes only rows of its bound org (none
 * without a bound org), independent of the query. Required for every table with `org_id`.
 */
export const tenantTable = (service: string, table: string, access: Partial<TableAccess> = {}): string => `
  alter table ${table} enable row level security;
  alter table ${table} force row level security;
  create policy tenant on ${table} to ${service}_app
    using (org_id = ${CURRENT_ORG}) with check (org_id = ${CURRENT_ORG});
  create policy machinery on ${table} to ${service}_worker, ${service}_owner using (true) with check (true);
  grant ${access.app ?? FULL} on ${table} to ${service}_app;
  grant ${access.worker ?? 'select'} on ${table} to ${service}_worker;
`;

/** The tables that every service has: outbox, inbox, consumer positions, dead letters, idempotency keys. */
const machineryTables = (service: string): string => `
  create table outbox (
    seq bigint generated always as identity primary key,
    id uuid not null,
    org_id uuid not null,
    tx_id uuid not null,
    subject text not null,
    aggregate_id text not null,
    event json not null,
    created_at timestamptz not null default now(),
    published_at timestamptz,
    stream_seq bigint
  ) with (autovacuum_vacuum_scale_factor = 0.02);
  create index outbox_unpublished on outbox (seq) where published_at is null;
  create index outbox_stream_seq on outbox (stream_seq) where stream_seq is not null;
  ${tenantTable(service, 'outbox', { app: 'insert, select', worker: 'insert, select, update' })}

  create table inbox (
    consumer text not null,
    event_id uuid not null,
    org_id uuid not null,
    tx_id uuid not null,
    received_at timestamptz not null default now(),
    primary key (consumer, event_id)
  );
  create index inbox_tx on inbox (tx_id, consumer);
  create index inbox_received_at on inbox using brin (received_at);
  ${tenantTable(service, 'inbox', { app: 'select', worker: 'select, insert, delete' })}

  create table consumer_position (
    consumer text primary key,
    stream_seq bigint not null,
    stream_created text not null,
    updated_at timestamptz not null default now()
  );
  grant select, insert, update, delete on consumer_position to ${service}_worker;

  create table dead_letter (
    seq bigint generated always as identity primary key,
    consumer text not null,
    event_id uuid not null,
    org_id uuid not null,
    aggregate_id text not null,
    event json not null,
    error text not null,
    tries int not null,
    created_at timestamptz not null default now(),
    replayed_at timestamptz,
    unique (consumer, event_id)
  );
  ${tenantTable(service, 'dead_letter', { app: 'select', worker: 'select, insert, update' })}

  create table idempotency_key (
    org_id uuid not null,
    user_id text not null,
    key text not null,
    request_hash text not null,
    reply_head json not null,
    reply_body text not null,
    created_at timestamptz not null default now(),
    primary key (org_id, user_id, key)
  );
  create index idempotency_key_created_at on idempotency_key using brin (created_at);
  ${tenantTable(service, 'idempotency_key', { app: 'select, insert, update', worker: 'select, delete' })}
`;

/**
 * One inbox row for each transaction instead of each event, and one consumer for each source. A consumer without a
 * position reads the stream from its start; the inbox skips events that were seen.
 */
const INBOX_BY_TRANSACTION = (service: string): string => `
  alter table inbox rename to inbox_by_event;
  create table inbox (
    tx_id uuid primary key,
    org_id uuid not null,
    event_ids uuid[] not null,
    received_at timestamptz not null default now()
  );
  create index inbox_received on inbox using brin (received_at);
  ${tenantTable(service, 'inbox', { app: 'select', worker: 'select, insert, update, delete' })}
  insert into inbox (tx_id, org_id, event_ids, received_at)
  select tx_id, org_id, array_agg(event_id), min(received_at) from inbox_by_event group by tx_id, org_id;
  drop table inbox_by_event;

  update dead_letter set consumer = split_part(event ->> 'source', '/', 2);
  create index dead_letter_waiting on dead_letter (aggregate_id, seq) where replayed_at is null;
  delete from consumer_position;
`;

/**
 * Tables that keep references between services consistent: `deletion_mark` in the service that owns a record,
 * `reference_fence` in the services that store its id.
 */
const REFERENCES = (service: string): string => `
  create table deletion_mark (
    org_id uuid not null,
    attempt uuid not null,
    id uuid not null,
    since timestamptz not null,
    primary key (org_id, attempt)
  );
  create index deletion_mark_id on deletion_mark (org_id, id);
  ${tenantTable(service, 'deletion_mark', { app: 'select, insert, delete', worker: 'select, delete' })}

  create table reference_fence (
    org_id uuid not null,
    id uuid not null,
    attempt uuid not null,
    at timestamptz not null,
    primary key (org_id, id)
  );
  ${tenantTable(service, 'reference_fence', { app: 'select, insert, update', worker: 'select, delete' })}
`;

/**
 * Locks of an organization, held to the end of the transaction. `own_turn(org, what)` waits for an exclusive lock,
 * `own_turn_shared` for a shared one, `try_own_turn` returns whether it got an exclusive one. They use advisory locks,
 * whose functions the request role may not call itself (`provision`), so it can lock for its bound org only. A key is
 * 64 bits of a SHA-256 over org and name, so no name can be chosen that blocks another org.
 */
const OWN_TURNS = (service: string): string => `
  create function turn_key(org uuid, what text) returns bigint language plpgsql stable as $$
    begin
      if session_user = '${service}_app' and org is distinct from ${BOUND_ORG} then
        raise insufficient_privilege using message = 'a turn of another organization';
      end if;
      return ('x' || substr(encode(sha256(convert_to(org || ' ' || what, 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint;
    end $$;
  create function own_turn(org uuid, what text) returns void
    language plpgsql security definer set search_path = ${service}, pg_temp as $$
    begin perform pg_advisory_xact_lock(turn_key(org, what)); end $$;
  create function own_turn_shared(org uuid, what text) returns void
    language plpgsql security definer set search_path = ${service}, pg_temp as $$
    begin perform pg_advisory_xact_lock_shared(turn_key(org, what)); end $$;
  create function try_own_turn(org uuid, what text) returns boolean
    language plpgsql security definer set search_path = ${service}, pg_temp as $$
    begin return pg_try_advisory_xact_lock(turn_key(org, what)); end $$;
  revoke execute on function turn_key(uuid, text), own_turn(uuid, text), own_turn_shared(uuid, text),
    try_own_turn(uuid, text) from public;
  grant execute on function own_turn(uuid, text), own_turn_shared(uuid, text), try_own_turn(uuid, text)
    to ${service}_app, ${service}_worker;
`;

/**
 * The final check of references that a transaction stores (ADR 10), in one statement before the commit. It waits for
 * owners that are checking references, and fails if a fence has changed since it was read. The fences are read after
 * the wait, so the check sees the owners' results.
 */
const RELYING = (service: string): string => `
  create function rely_on(org uuid, ids uuid[], attempts uuid[]) returns void language plpgsql as $$
    begin
      perform own_turn_shared(org, 'references');
      if exists (
        select from unnest(ids, attempts) as relied(id, attempt)
        left join reference_fence as f on f.org_id = org and f.id = relied.id
        where f.attempt is distinct from relied.attempt
      ) then
        raise serialization_failure using message = 'somebody is about to delete what is referred to';
      end if;
    end $$;
  revoke execute on function rely_on(uuid, uuid[], uuid[]) from public;
  grant execute on function rely_on(uuid, uuid[], uuid[]) to ${service}_app, ${service}_worker;
`;

/** The first migrations of every service. */
export const commonMigrations = (service: string): TransactionalMigration[] => [
  migration('000_machinery', machineryTables(service)),
  migration('000_machinery_follows', `alter table consumer_position add column follows text[] not null default '{}'`),
  migration('000_machinery_inbox', INBOX_BY_TRANSACTION(service)),
  // A job may write for several orgs in one transaction.
  migration(
    '000_machinery_inbox_orgs',
    'alter table inbox drop constraint inbox_pkey1, add constraint inbox_pkey primary key (tx_id, org_id)',
  ),
  migration('000_machinery_references', REFERENCES(service)),
  // Makes old keys quick to find, also after weeks of removed rows.
  migration(
    '000_machinery_keys_by_age',
    `drop index idempotency_key_created_at;
     create index idempotency_key_age on idempotency_key (created_at)`,
  ),
  migration('000_machinery_turns', OWN_TURNS(service)),
  migration('000_machinery_ends', organizationEndTable(service)),
  migration('000_machinery_relying', RELYING(service)),
];
