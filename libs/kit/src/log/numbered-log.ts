import { type TransactionalMigration, migration } from '../db/migration.ts';
import { tenantTable } from '../db/schema.ts';

interface Options {
  /** The name of the service's follower as SQL text; absent if the service follows no log. */
  follower?: string;
  /** Whether the service has an audit log beside its domain log. */
  audit?: boolean;
  /** SQL condition: whether this service's own follower had applied the old outbox row `o`. */
  applied?: string;
}

const tables = (service: string): string => `
  -- Every event, written once by its own transaction. \`data\` is null when it was erased.
  create table log_entry (
    seq bigint generated always as identity primary key,
    log text not null,
    id uuid not null,
    org_id uuid not null,
    tx_id uuid not null,
    type text not null,
    aggregate_id text not null,
    actor text not null,
    request_id uuid not null,
    trace text,
    happened_at timestamptz(3) not null,
    data json
  );
  -- Transactions are written by their time; the newest are known in memory.
  create index log_entry_tx on log_entry using brin (tx_id) with (pages_per_range = 16, autosummarize = on);
  ${tenantTable(service, 'log_entry', { app: 'select, insert', worker: 'select, insert, delete' })}

  -- The numbers: the entry at \`seqs[n]\` has number \`first_no + n - 1\` in its log, and \`previous[n]\` is the event
  -- before it of its organization. Some bytes for each entry, where a table of numbers would be as large as the entries.
  create table log_batch (
    log text not null,
    first_no bigint not null,
    first_seq bigint not null,
    last_seq bigint not null,
    seqs bigint[] not null,
    previous uuid[] not null,
    numbered_at timestamptz(3) not null default now(),
    primary key (log, first_no)
  );
  create index log_batch_seq on log_batch using brin (first_seq, last_seq) with (pages_per_range = 4, autosummarize = on);
  grant select on log_batch to ${service}_app;
  grant select, insert, delete on log_batch to ${service}_worker;

  -- Where each log ends; its row is the lock under which numbers are given. Numbers begin after \`base\`.
  create table log_head (
    log text primary key,
    epoch int not null default 0,
    no bigint not null,
    id uuid,
    base bigint not null,
    -- Up to this one, all entries have their numbers; of those after it, some may.
    settled bigint not null,
    -- What the stream has, and why it has no more; for looking only.
    published_no bigint,
    trouble text,
    trouble_since timestamptz(3)
  ) with (fillfactor = 50);
  grant select on log_head to ${service}_app;
  grant select, update on log_head to ${service}_worker;

  -- A database that was put back numbers on in a new epoch: what stood there before under the same numbers is void.
  create table log_epoch (
    log text not null,
    epoch int not null,
    first_no bigint not null,
    why text not null,
    opened_at timestamptz(3) not null default now(),
    primary key (log, epoch)
  );
  grant select, insert on log_epoch to ${service}_worker;

  -- The newest event of each organization.
  create table log_org (
    org_id uuid not null,
    log text not null,
    no bigint not null,
    id uuid not null,
    primary key (org_id, log)
  ) with (fillfactor = 70);
  ${tenantTable(service, 'log_org', { app: 'select', worker: 'select, insert, update' })}

  -- For those who look: entries with their numbers, and entries without.
  create view log_numbered with (security_invoker = true) as
    select e.log, b.first_no + n - 1 as no, e.id, e.org_id, e.tx_id, p.previous_id, e.type, e.aggregate_id, e.actor,
      e.request_id, e.trace, e.happened_at, e.data, e.seq
    from log_batch as b, unnest(b.seqs, b.previous) with ordinality as p(seq, previous_id, n), log_entry as e
    where e.seq = p.seq;
  create view log_waiting with (security_invoker = true) as
    select e.* from log_entry as e where e.seq > (select max(settled) from log_head)
      and not exists (select from log_batch as b where b.last_seq >= e.seq and b.first_seq <= e.seq and e.seq = any (b.seqs));
  grant select on log_numbered, log_waiting to ${service}_app, ${service}_worker;

  -- How far a follower is in the logs it follows: stored with what it derived.
  create table follower_position (
    follower text not null,
    log text not null,
    epoch int not null default 0,
    no bigint not null default 0,
    id uuid,
    -- Transactions it had applied last when it was carried over; the source knows their numbers.
    after_tx uuid[],
    -- Names of the events it follows: one that is new was passed over so far.
    follows text[],
    broken boolean not null default false,
    trouble text,
    trouble_since timestamptz(3),
    primary key (follower, log)
  ) with (fillfactor = 30);
  grant select on follower_position to ${service}_app;
  grant select, insert, update, delete on follower_position to ${service}_worker;

  -- The leader by terms: what a former leader still does is recognized by its term.
  create table duty (name text primary key, term bigint not null default 0, since timestamptz(3) not null default now());
  grant select, insert, update on duty to ${service}_worker;
`;

/** Splits the former history into two logs. Both end at the highest sequence used, so `sequence` never falls. */
const carryHistory = (applied: string): string => `
  create temporary table carried on commit drop as
  select *, (select coalesce(max(seq), 0) from outbox_before) - count(*) over (partition by log)
      + row_number() over (partition by log order by not applied, stream_seq is null, stream_seq, seq) as no,
    row_number() over (order by seq) as written
  from (
    select o.seq, o.stream_seq, o.id, o.org_id, o.tx_id, o.aggregate_id, o.event, ${applied} as applied,
      case when o.event ->> 'type' like '%.audit.recorded.v1' then 'audit' else 'domain' end as log
    from outbox_before as o
  ) as o;
  insert into log_entry (seq, log, id, org_id, tx_id, type, aggregate_id, actor, request_id, trace, happened_at, data)
  overriding system value
  select written, log, id, org_id, tx_id, event ->> 'type', aggregate_id, event ->> 'actor', (event ->> 'requestid')::uuid,
    event ->> 'traceparent', (event ->> 'time')::timestamptz, event -> 'data'
  from carried order by written;
  select setval(pg_get_serial_sequence('log_entry', 'seq'), max(written)) from carried having max(written) is not null;
  insert into log_batch (log, first_no, first_seq, last_seq, seqs, previous, numbered_at)
  select log, min(no), min(written), max(written), array_agg(written order by no), array_agg(previous_id order by no),
    max((event ->> 'time')::timestamptz)
  from (
    select *, lag(id) over (partition by log, org_id order by no) as previous_id from carried
  ) as c group by log, no / 1000;
  insert into log_head (log, no, id, base, settled)
  select l.log, m.seq, (select c.id from carried as c where c.log = l.log and c.no = m.seq),
    coalesce((select min(c.no) - 1 from carried as c where c.log = l.log), m.seq),
    (select coalesce(max(written), 0) from carried)
  from (values ('domain'), ('audit')) as l(log), (select coalesce(max(seq), 0) as seq from outbox_before) as m;
  insert into log_org (org_id, log, no, id)
  select distinct on (org_id, log) org_id, log, no, id from carried order by org_id, log, no desc;
  insert into log_epoch (log, epoch, first_no, why) select log, 0, 0, 'the beginning' from log_head;
`;

/**
 * The follower continues where release 0.1.0 stopped: exactly in its own logs, by transaction in those of other
 * services.
 */
const carryFollower = (service: string, follower: string): string => `
  insert into follower_position (follower, log, no, id, after_tx)
  select ${follower}, ${follower === "'audit'" ? `'${service}.audit'` : 'p.consumer'}, coalesce(c.no, 0), c.id,
    case when p.consumer = '${service}' then null
      else array(select tx_id from inbox order by received_at desc limit 1000) end
  from consumer_position as p
  left join lateral (
    select no, id from carried where p.consumer = '${service}' and applied and log = 'audit' order by no desc limit 1
  ) as c on true;
`;

const deadLetters = (follower: string): string => `
  alter table dead_letter add column follower text, add column log text, add column no bigint, add column epoch int,
    add column tx_id uuid, add column due_at timestamptz(3) not null default now();
  update dead_letter set follower = ${follower}, epoch = 0, no = 0, tx_id = (event ->> 'txid')::uuid,
    log = consumer || case when event ->> 'type' like '%.audit.recorded.v1' then '.audit' else '' end;
  alter table dead_letter alter follower set not null, alter log set not null, alter no set not null,
    alter epoch set not null, alter tx_id set not null,
    drop constraint dead_letter_consumer_event_id_key, drop column consumer, add unique (follower, event_id);
  drop index dead_letter_waiting;
  create index dead_letter_waiting on dead_letter (follower, org_id, aggregate_id, seq) where replayed_at is null;
  create index dead_letter_tx on dead_letter (tx_id) where replayed_at is null;
`;

/**
 * The migration to the numbered log, which replaces outbox marks, stream positions and inbox. Each service lists it
 * after the migrations of its first release. It keeps the history and the position of the follower.
 */
export const numberedLog = (service: string, options: Options = {}): TransactionalMigration => {
  const { follower, audit = false, applied = 'false' } = options;
  return migration(
    '100_numbered_log',
    `
    alter table outbox rename to outbox_before;
    ${tables(service)}
    ${carryHistory(applied)}
    ${audit ? '' : "delete from log_head where log = 'audit'; delete from log_epoch where log = 'audit';"}
    ${follower === undefined ? '' : carryFollower(service, follower)}
    ${deadLetters(follower ?? "'nobody'")}
    drop table outbox_before;
    drop table inbox;
    drop table consumer_position;
  `,
  );
};
