import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { BROKER_CONFIG, TLS_CONFIG, usersConfig } from './config.ts';
import { declarations } from './declarations.ts';
import { Login } from './user-login.ts';
import { Reader } from './outside-reader.ts';

/** The default folder of the broker's configuration. */
export const BROKER_FOLDER = fileURLToPath(new URL('../../../deploy/nats/', import.meta.url));

const listIn = <T>(folder: string, name: string, schema: z.ZodType<T>): T[] => {
  const file = join(folder, name);
  return existsSync(file) ? z.array(schema).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
};
const write = (folder: string, name: string, list: readonly unknown[]): void =>
  writeFileSync(join(folder, name), `${JSON.stringify(list, null, 2)}\n`);

/** The outside readers of this installation. */
export const readReaders = (folder: string): Reader[] => listIn(folder, 'readers.json', Reader);

/** Users of this installation whose login is not a password. */
export const readLogins = (folder: string): Login[] => listIn(folder, 'logins.json', Login);

/** Writes the broker's configuration in place, because a container may have mounted the files. */
export const writeBroker = (folder: string): void => {
  writeFileSync(join(folder, 'nats.conf'), BROKER_CONFIG);
  writeFileSync(join(folder, 'nats-tls.conf'), TLS_CONFIG);
  writeFileSync(join(folder, 'users.conf'), usersConfig(declarations, readReaders(folder), readLogins(folder)));
};

export const writeReaders = (folder: string, readers: readonly Reader[]): void => {
  write(folder, 'readers.json', readers);
  writeBroker(folder);
};

export const writeLogins = (folder: string, logins: readonly Login[]): void => {
  write(folder, 'logins.json', logins);
  writeBroker(folder);
};
