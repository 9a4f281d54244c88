import { z } from 'zod';
import { type Env, readConfig } from '../../../libs/kit/src/index.ts';
import { DatabaseAddress, withEachPassword } from '../../../libs/kit/src/db/address.ts';
import { BIND_CONNECTION } from '../../../libs/kit/src/db/bound-organization.ts';
import { connectionOptions } from '../../../libs/kit/src/db/pool.ts';
import { DatabaseClient, queryRows } from '../../../libs/kit/src/db/database-client.ts';
import type { Statement } from '../../../libs/kit/src/db/statement.ts';
import { databaseConfig, onePassword } from '../../../libs/kit/src/ops/database-variables.ts';

const Config = z.object(databaseConfig).superRefine(onePassword('DATABASE', 'WORKER_DATABASE', 'MIGRATION_DATABASE'));

type Query = <R, P extends readonly unknown[]>(what: Statement<R, P>, ...params: P) => Promise<R[]>;

/** Reads the audit log of one organization, under row-level security. */
export interface OrganizationAuditReader {
  org_id: string;
  query: Query;
}

/** Reads audit logs with the logins and the rights of the class service. */
export interface AuditReader {
  /** Reads across organizations. */
  query: Query;
  ofOrg: (org_id: string) => OrganizationAuditReader;
  close: () => Promise<void>;
}

const connected = (address: DatabaseAddress): Promise<DatabaseClient> =>
  withEachPassword(address, async () => {
    const client = new DatabaseClient(connectionOptions(address, 'audit'));
    await client.connect();
    return client;
  });

/** The database of the class service: from the environment (DATABASE_URL, WORKER_DATABASE_URL), else of the local system. */
const environmentOf = async (env: Env): Promise<Env> => {
  if (env['DATABASE_URL'] || env['DATABASE_URL_FILE']) return env;
  const { localProcesses } = await import('@teaching/local/local-processes.ts');
  const found = localProcesses(env)?.get('clazz');
  if (found === undefined)
    throw new Error('No database: run it in the environment of clazz (DATABASE_URL), or start the local system.');
  return found;
};

export const openAuditReader = async (env: Env): Promise<AuditReader> => {
  const config = readConfig(Config, await environmentOf(env));
  const worker = await connected(new DatabaseAddress(config.WORKER_DATABASE_URL, config.WORKER_DATABASE_PASSWORD));
  const app = await connected(new DatabaseAddress(config.DATABASE_URL, config.DATABASE_PASSWORD));
  return {
    query: (what, ...params) => queryRows(worker, what, ...params),
    ofOrg: (org_id) => ({
      org_id,
      query: async (what, ...params) => {
        // One turn of the event loop, so that no binding to another organization comes between.
        const [, found] = await Promise.all([queryRows(app, BIND_CONNECTION, org_id), queryRows(app, what, ...params)]);
        return found;
      },
    }),
    close: async () => {
      await Promise.all([worker.end(), app.end()]);
    },
  };
};
