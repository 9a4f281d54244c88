import { p } from '../db/columns.ts';
import { BOUND_ORG } from '../db/bound-organization.ts';
import { type TransactionalMigration, migration } from '../db/migration.ts';
import { statement } from '../db/statement.ts';
import type { StateReader } from '../rpc/answer-cache.ts';

/**
 * Creates the function `log_state()`: epoch, number and id of the newest domain event of the bound organization. Null
 * while an entry of the organization is above the high-water mark, since it may be numbered before or after others. The
 * id is included because a number may be given again in a restored database.
 *
 * Beside its own rows, the request role sees only the epoch and the high-water mark.
 */
export const logState = (name: string, service: string): TransactionalMigration =>
  migration(
    name,
    `
    grant select (log, epoch, settled) on log_head to ${service}_app;
    create function log_state() returns table (state text) language sql stable begin atomic
      select case when not exists (
        select from log_entry
        where org_id = (select ${BOUND_ORG}) and log = 'domain' and seq > (select max(settled) from log_head)
      ) then concat_ws(' ',
        (select epoch from log_head where log = 'domain'),
        (select no || ' ' || id from log_org where org_id = (select ${BOUND_ORG}) and log = 'domain')
      ) end;
    end;
    revoke execute on function log_state() from public;
    grant execute on function log_state() to ${service}_app;
  `,
  );

/**
 * Reads the state of the domain events of the caller's organization, as a version for cached responses. Only for
 * services in which every write of the cached data emits an event. The service must list the migration `logState`,
 * which creates the function; each service calls this once.
 */
export const logStateReader = (): StateReader => {
  const state = statement('select state from log_state()', { state: p.text().nullable() });
  return async (session) => (await session.peek(state))[0]?.state ?? undefined;
};
