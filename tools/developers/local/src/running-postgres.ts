import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterIn, type PostgresFolder } from './postgres-folder.ts';

/** The name of the local database. */
export const DATABASE = 'teaching';

/** Superuser's address of a server. */
export const urlOf = ({ socketDir }: Pick<PostgresFolder, 'socketDir'>, port: number, password: string): string => {
  const host = process.platform === 'win32' ? '127.0.0.1' : encodeURIComponent(socketDir);
  return `postgresql://postgres:${password}@${host}:${port}/postgres`;
};

/** Superuser's address of the server that runs below `dataDir`, if one does. */
export const runningPostgres = (dataDir: string): string | undefined => {
  const [note, password] = [join(clusterIn(dataDir), 'postmaster.pid'), join(dataDir, 'postgres-password')];
  if (!existsSync(note) || !existsSync(password)) return undefined;
  // The fourth line is the port, the fifth the folder of the socket, the eighth the state.
  const [, , , port = '', socketDir = '', , , state = ''] = readFileSync(note, 'utf8').split('\n');
  return state.trim() === 'ready'
    ? urlOf({ socketDir }, Number(port), readFileSync(password, 'utf8').trim())
    : undefined;
};
