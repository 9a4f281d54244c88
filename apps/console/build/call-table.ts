import { publicCalls, type Calls } from '@teaching/contracts';
import type { Plugin } from 'vite';

const NAME = 'virtual:calls';
const RESOLVED = `\0${NAME}`;

/** Of each call with a route: its service, method and path. The schemas, most of the client's weight, stay behind. */
const table = () =>
  Object.fromEntries(
    Object.entries<Calls[string]>(publicCalls).flatMap(([id, { http, service }]) =>
      http === null ? [] : [[id, [service, http.method, http.path]]],
    ),
  );

/** Gives the page the table of calls as the module `virtual:calls`. */
export const callTable = (): Plugin => ({
  name: 'call-table',
  resolveId: (id) => (id === NAME ? RESOLVED : undefined),
  load: (id) => (id === RESOLVED ? `export default ${JSON.stringify(table())}` : undefined),
});
