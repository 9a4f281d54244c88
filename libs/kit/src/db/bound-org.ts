/** The tenant bound to the connection, as an expression. */
export const BOUND_ORG = "nullif(current_setting('app.org_id', true), '')::uuid";
