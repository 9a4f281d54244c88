import type { LogKind } from '@teaching/contracts';
import { type TransactionalMigration, migration } from '../db/migration.ts';

/**
 * Limits what the request role can do to the log, also with injected SQL: it can only add entries of its own org. It
 * cannot choose the position (`seq`), nor write an entry that cannot be numbered or published and would stop the log
 * for all organizations. It cannot see ids of other organizations' events.
 */
export const restrictLog = (name: string, service: string, kinds: readonly LogKind[]): TransactionalMigration =>
  migration(
    name,
    `
    revoke insert on log_entry from ${service}_app;
    grant insert (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, trace, happened_at, data) on log_entry
      to ${service}_app;
    alter table log_entry add constraint log_entry_sound check (
      log in (${kinds.map((kind) => `'${kind}'`).join(', ')}) and type ~ '^[a-z_]+([.][a-z_]+)+[.]v[0-9]+$'
      and trace !~ '[^0-9a-f-]' and isfinite(happened_at)) not valid;
    revoke select on log_batch, log_head, log_numbered, log_waiting, follower_position from ${service}_app;
  `,
  );
