import { notNull, p } from './columns.ts';
import { statement } from './statement.ts';

/** The organization bound to the connection, as a SQL expression. */
export const BOUND_ORG = "nullif(current_setting('app.org_id', true), '')::uuid";

/** Binds a connection to an org for row-level security. `''` binds it to none. */
export const BIND_CONNECTION = statement("select set_config('app.org_id', $1, false)", {
  set_config: notNull(p.text()),
});
