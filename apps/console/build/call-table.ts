import { publicCalls, type Calls } from '@teaching/contracts';
import type { Plugin } from 'vite';

const NAME = 'virtual:calls';
const RESOLVED = `\0${NAME}`;

/**
 * The service, method and path of each call that has a route. The schemas, most of the client's size, are left out.
 */
const table = () =>
  Object.fromEntries(
    Object.entries<Calls[string]>(publicCalls).flatMap(([id, { http, service }]) =>
      http === null ? [] : [[id, [service, http.method, http.path]]],
    ),
  );

/** Provides the table of calls as the module `virtual:calls`. */
export const callTable = (): Plugin => ({
  name: 'call-table',
  resolveId: (id) => (id === NAME ? RESOLVED : undefined),
  load: (id) => (id === RESOLVED ? `export default ${JSON.stringify(table())}` : undefined),
});
