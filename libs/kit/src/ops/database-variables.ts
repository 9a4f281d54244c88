import type { z } from 'zod';
import type { LiveValue } from '../base/live-value.ts';
import { secretVariable } from './secret-variable.ts';
import { passwords, postgresUrl } from './variables.ts';

/** The URL of a Postgres login. */
export const loginUrl = (what: string, example: string) => secretVariable(postgresUrl(what, example));

/** The password of a login whose URL has none. */
export const loginPassword = (url: string) =>
  secretVariable(passwords(`the password for ${url}; while it is exchanged several, one on each line`)).optional();

/** The three logins of a service. */
export const databaseConfig = {
  /** Bound to one org at a time by row-level security. */
  DATABASE_URL: loginUrl('the database as the role of requests', 'postgres://clazz_app:…@db:5432/teaching'),
  DATABASE_PASSWORD: loginPassword('DATABASE_URL'),
  /** Has access to all orgs. */
  WORKER_DATABASE_URL: loginUrl(
    'the database as the role of log, followers and jobs',
    'postgres://clazz_worker:…@db:5432/teaching',
  ),
  WORKER_DATABASE_PASSWORD: loginPassword('WORKER_DATABASE_URL'),
  /** If set, pending migrations run at the start. */
  MIGRATION_DATABASE_URL: loginUrl(
    'the database as the owner of the schema',
    'postgres://clazz_owner:…@db:5432/teaching',
  ).optional(),
  MIGRATION_DATABASE_PASSWORD: loginPassword('MIGRATION_DATABASE_URL'),
};

const isLive = (value: unknown): value is LiveValue<unknown> => typeof value === 'function';

/**
 * Checks that a password is either in the URL or in its own variable. `logins`: the names of the URL variables without
 * `_URL`.
 */
export const onePassword =
  (...logins: readonly string[]) =>
  (config: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    for (const login of logins) {
      const [url, password] = [config[`${login}_URL`], config[`${login}_PASSWORD`]];
      if (password === undefined || (isLive(url) && new URL(String(url())).password === '')) continue;
      const message = isLive(url)
        ? `must not be set together with a password in ${login}_URL`
        : `is set without ${login}_URL`;
      context.addIssue({ code: 'custom', path: [`${login}_PASSWORD`], message });
    }
  };
