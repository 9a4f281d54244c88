import type pg from 'pg';
import { DatabaseClient } from './client.ts';
import { ConnectionLost } from './fault.ts';
import { queryOf, SET_ORG } from './statement.ts';

/** The org each connection was last bound to. */
const bound = new WeakMap<pg.ClientBase, string>();

/**
 * Binds a connection to an org, `''` to none, without waiting: what is sent from now on runs under it. When the binding
 * fails the connection is given up at once, and all that was sent behind it fails instead of running under the former org.
 */
export const bindOrg = (client: pg.ClientBase, org: string): void => {
  if ((bound.get(client) ?? '') === org) return;
  bound.set(client, org);
  client.query(queryOf(SET_ORG, [org]), (error) => {
    if (!(error as Error | null) || !(client instanceof DatabaseClient)) return;
    client.giveUp(new ConnectionLost('a connection could not be bound to an organization', { cause: error }));
  });
};
