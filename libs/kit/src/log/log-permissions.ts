import type { LogKind } from '@teaching/contracts';
import { type TransactionalMigration, migration } from '../db/migration.ts';

/**
 * What a statement of the request role may do to the log, if somebody could make it say anything: add entries of its org, as
 * a service tells them. It cannot take a place in the order (`seq`) before another org comes to it, nor write what could not
 * be numbered or published, and so would stop all; and it does not see ids of others' events.
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
