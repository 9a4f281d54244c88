import { SYSTEM_ORG_ID } from '@teaching/contracts';
import { BOUND_ORG } from './bound-organization.ts';
import { always, bigint, instant, p } from './columns.ts';
import { type DatabaseClient, queryRows } from './database-client.ts';
import { databaseFault, ORGANIZATION_DELETED_POLICY as OVER } from './database-fault.ts';
import { statement } from './statement.ts';
import { table } from './table.ts';

/** Organizations that were deleted: that they were, when, and in the class service where their trails ended. */
export const ORGANIZATION_END = table('organization_end', {
  id: p.uuid().primary(),
  began_at: instant(),
  /** Nothing that comes late is stored any more. */
  sealed: p.boolean(),
  ended_at: instant().nullable(),
  entries: bigint().nullable(),
  hash: p.text().nullable(),
  /** The transaction that wrote the row. */
  changed: p.text().columnType('xid8'),
});

/**
 * What stays of an organization that was deleted, in each schema: that it was, and when. From the moment the row is there no
 * request stores anything of it any more, and from `sealed` on nothing that comes late does, whoever tells it.
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

const NAME = { name: always(p.text()) };
const UNGUARDED = statement(
  `select c.relname::text as name from pg_class as c
   where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and exists (select from pg_attribute as a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped)
     and not exists (select from pg_policy as p where p.polrelid = c.oid and p.polname = '${OVER}')
   order by 1`,
  NAME,
);

/** What nobody may add to the log needs no guard where it gets its number, and numbering would stop for all. */
const NUMBERING = 'log_org';
const sealed = (service: string, table: string): string => `
  create policy organization_sealed on ${table} as restrictive for insert to ${service}_worker
    with check (not exists (select from ${service}.organization_end as e where e.id = org_id and e.sealed));`;

/**
 * Who owns a table and bound itself to an organization reads and removes rows of no other one, and of none: exports and deletions
 * do that. And nothing is added to an organization that is over.
 */
const guards = (service: string, table: string): string => `
  create policy owner_bound on ${table} as restrictive to ${service}_owner
    using ((select ${BOUND_ORG}) is null or org_id in ((select ${BOUND_ORG}), '${SYSTEM_ORG_ID}'));
  create policy ${OVER} on ${table} as restrictive for insert to ${service}_app
    with check ((select not exists (select from ${service}.organization_end where id = ${BOUND_ORG})));
  ${table === `${service}.${NUMBERING}` ? '' : sealed(service, table)}
`;

const TRIES = 20;

/** Guards each table with rows of organizations that is not guarded yet, as its owner; holds up nobody for long. */
export const addDeletionGuards = async (client: DatabaseClient, service: string): Promise<void> => {
  for (const { name } of await queryRows(client, UNGUARDED, service)) {
    const work = `begin; set local lock_timeout = '500ms'; ${guards(service, `${service}.${name}`)} commit`;
    for (let tries = 1; ; tries += 1) {
      try {
        await client.ask({ text: work });
        break;
      } catch (error) {
        await client.ask({ text: 'rollback' });
        if (tries === TRIES || databaseFault(error)?.code !== '55P03') throw error;
      }
    }
  }
};
