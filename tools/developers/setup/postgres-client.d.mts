/** A folder with pg_basebackup and its like, of the version of the checkout's Postgres. Throws where it cannot be had. */
export const postgresClient: () => Promise<string>;
