import { p } from '../db/columns.ts';
import { BOUND_ORG } from '../db/bound-organization.ts';
import { type TransactionalMigration, migration } from '../db/migration.ts';
import { statement } from '../db/statement.ts';
import type { ReadState } from '../rpc/answer-cache.ts';

/**
 * `log_state()` says how far the domain log of the bound organization is: its newest event by number and id, and the epoch. Null
 * while one of its entries is not settled: it may have no number yet, and come before or behind others. The number is named beside
 * the id since an event may get another one in a database that was put back. Beside its own, the request role
 * sees only the epoch and up to where everything is settled.
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
 * Reads the state of what the domain events of a service tell about the caller's organization: for cached responses of a service
 * in which every write of their data emits an event. Called once by a service that lists the migration `logState`, which makes the
 * function that the statement needs.
 */
export const logStateReader = (): ReadState => {
  const state = statement('select state from log_state()', { state: p.text().nullable() });
  return async (session) => (await session.peek(state))[0]?.state ?? undefined;
};
