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
 * What is wrong with the TLS that a URL of Postgres asks for. Either none, or one that is worth its name: other modes
 * leave out who the server is, and drivers read them in different ways.
 */
export const tlsProblem = ({ searchParams: given }: URL): string | undefined => {
  const mode = given.get('sslmode');
  if (mode !== null && !MODES.includes(mode)) return `must have ${MODES.join(' or ')} as its sslmode`;
  for (const name of Object.keys(TLS_FILES)) {
    const file = given.get(name);
    if (file === null) continue;
    if (mode !== 'verify-full') return `has ${name}, which needs sslmode=verify-full`;
    if (!isReadable(file)) return `names in ${name} a file that cannot be read: ${file}`;
  }
  return given.has('sslcert') === given.has('sslkey') ? undefined : 'must have sslcert and sslkey, or neither';
};
