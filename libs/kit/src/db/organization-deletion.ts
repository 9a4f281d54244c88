import { SYSTEM_ORG_ID } from '@teaching/contracts';
import { BOUND_ORG } from './bound-organization.ts';
import { notNull, bigint, instant, p } from './columns.ts';
import { type DatabaseClient, queryRows } from './database-client.ts';
import { databaseFault, ORGANIZATION_DELETED_POLICY as DELETED_POLICY } from './database-fault.ts';
import { statement } from './statement.ts';
import { table } from './table.ts';

/** Deleted organizations: the time of deletion and, in the class service, the end of their audit log. */
export const ORGANIZATION_END = table('organization_end', {
  id: p.uuid().primary(),
  began_at: instant(),
  /** From now on events that arrive late store nothing either. */
  sealed: p.boolean(),
  ended_at: instant().nullable(),
  entries: bigint().nullable(),
  hash: p.text().nullable(),
  /** The transaction that wrote the row. */
  changed: p.text().columnType('xid8'),
});

/**
 * SQL of the record of deleted organizations that remains in each schema. Once the row exists, requests store nothing
 * for the organization. Once it is `sealed`, events that arrive late store nothing either.
 */
export const organizationEndTable = (service: string): string => `
  create table organization_end (
    id uuid primary key,
    began_at timestamptz(3) not null default clock_timestamp(),
    sealed boolean not null default false,
    ended_at timestamptz(3),
    -- In the class service: where its trail ended.
    entries bigint,
    hash text,
    -- The transaction that wrote the row: gateways read what is new.
    changed xid8 not null default pg_current_xact_id()
  );
  alter table organization_end enable row level security;
  create policy own on organization_end for select to ${service}_app using (id = ${BOUND_ORG});
  create policy machinery on organization_end for select to ${service}_worker using (true);
  grant select (id) on organization_end to ${service}_app;
  grant select on organization_end to ${service}_worker;
`;

const NAME = { name: notNull(p.text()) };
const UNGUARDED = statement(
  `select c.relname::text as name from pg_class as c
   where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and exists (select from pg_attribute as a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
     and not exists (select from pg_policy as p where p.polrelid = c.oid and p.polname = '${DELETED_POLICY}')
   order by 1`,
  NAME,
);

/**
 * The table that numbering writes. It needs no guard: entries are guarded when they are added, and a refusal would stop
 * numbering for all organizations.
 */
const NUMBERING = 'log_org';
const sealed = (service: string, table: string): string => `
  create policy organization_sealed on ${table} as restrictive for insert to ${service}_worker
    with check (not exists (select from ${service}.organization_end as e where e.id = org_id and e.sealed));`;

/**
 * The table owner, once bound to an organization, reads and removes only rows of that organization: exports and
 * deletions work this way. No rows can be added for a deleted organization.
 */
const guards = (service: string, table: string): string => `
  create policy owner_bound on ${table} as restrictive to ${service}_owner
    using ((select ${BOUND_ORG}) is null or org_id in ((select ${BOUND_ORG}), '${SYSTEM_ORG_ID}'));
  create policy ${DELETED_POLICY} on ${table} as restrictive for insert to ${service}_app
    with check ((select not exists (select from ${service}.organization_end where id = ${BOUND_ORG})));
  ${table === `${service}.${NUMBERING}` ? '' : sealed(service, table)}
`;

const TRIES = 20;

/**
 * Adds the policies to each table with rows of organizations that lacks them, as the table's owner. It waits at most
 * half a second for each lock, so writers are not blocked for long.
 */
export const addDeletionGuards = async (client: DatabaseClient, service: string): Promise<void> => {
  for (const { name } of await queryRows(client, UNGUARDED, service)) {
    const work = `begin; set local lock_timeout = '500ms'; ${guards(service, `${service}.${name}`)} commit`;
    for (let tries = 1; ; tries += 1) {
      try {
        await client.execute({ text: work });
        break;
      } catch (error) {
        await client.execute({ text: 'rollback' });
        if (tries === TRIES || databaseFault(error)?.code !== '55P03') throw error;
      }
    }
  }
};
