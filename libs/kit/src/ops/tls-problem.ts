import { accessSync, constants } from 'node:fs';
import { TLS_FILES } from '../db/address.ts';

const MODES = ['disable', 'verify-full'];

const isReadable = (file: string): boolean => {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * The problem of the TLS parameters of a Postgres URL; undefined if there is none. Only no TLS or `verify-full` is
 * accepted: other modes do not authenticate the server, and drivers interpret them differently.
 */
export const tlsProblem = ({ searchParams: parameters }: URL): string | undefined => {
  const mode = parameters.get('sslmode');
  if (mode !== null && !MODES.includes(mode)) return `must have ${MODES.join(' or ')} as its sslmode`;
  for (const name of Object.keys(TLS_FILES)) {
    const file = parameters.get(name);
    if (file === null) continue;
    if (mode !== 'verify-full') return `has ${name}, which needs sslmode=verify-full`;
    if (!isReadable(file)) return `names in ${name} a file that cannot be read: ${file}`;
  }
  return parameters.has('sslcert') === parameters.has('sslkey')
    ? undefined
    : 'must have sslcert and sslkey, or neither';
};
