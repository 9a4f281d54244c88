import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { BROKER_CONFIG, TLS_CONFIG, usersConfig } from './config.ts';
import { declarations } from './declarations.ts';
import { BROKER_FOLDER, INSTALLATION_FOLDER } from './folders.ts';
import { Login } from './user-login.ts';
import { Reader } from './outside-reader.ts';

/** Release 0.2.0 stored the lists of an installation in the folder of the release. */
const foldersOf = (folder: string): string[] =>
  resolve(folder) === resolve(INSTALLATION_FOLDER) ? [folder, BROKER_FOLDER] : [folder];

const listIn = <T>(folder: string, name: string, schema: z.ZodType<T>): T[] => {
  const file = foldersOf(folder)
    .map((one) => join(one, name))
    .find((path) => existsSync(path));
  return file === undefined ? [] : z.array(schema).parse(JSON.parse(readFileSync(file, 'utf8')));
};

/** The outside readers of this installation. */
export const readReaders = (folder: string): Reader[] => listIn(folder, 'readers.json', Reader);

/** Users of this installation whose login is not a password. */
export const readLogins = (folder: string): Login[] => listIn(folder, 'logins.json', Login);

interface OwnUsers {
  readers: readonly Reader[];
  logins: readonly Login[];
}

/** Writes the files in place, because a container may have mounted them. */
const writeFiles = (folder: string, { readers, logins }: OwnUsers): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'nats.conf'), BROKER_CONFIG);
  writeFileSync(join(folder, 'nats-tls.conf'), TLS_CONFIG);
  writeFileSync(join(folder, 'users.conf'), usersConfig(declarations, readers, logins));
};

/** Writes the broker's configuration of the release, for `npm run broker`. */
export const writeReleaseBroker = (): void => writeFiles(BROKER_FOLDER, { readers: [], logins: [] });

/** The operator's next step once the configuration is written to this folder. Call it before writing. */
export const brokerStep = (folder: string, installation = INSTALLATION_FOLDER): string =>
  resolve(folder) === resolve(installation) && !existsSync(join(folder, 'nats.conf'))
    ? 'restart the broker now: until its restart it uses the configuration of the release'
    : 'reload the broker now';

/** Writes the broker's configuration of an installation. Throws for the folder of the release. */
const writeInstallation = (folder: string, users: OwnUsers): void => {
  if (resolve(folder) === resolve(BROKER_FOLDER))
    throw new Error(`${folder} has the configuration of the release; choose another folder`);
  writeFiles(folder, users);
  const write = (name: string, list: readonly unknown[]): void =>
    writeFileSync(join(folder, name), `${JSON.stringify(list, null, 2)}\n`);
  write('readers.json', users.readers);
  write('logins.json', users.logins);
};

/** Writes the configuration again, for a new release. */
export const writeBroker = (folder: string): void =>
  writeInstallation(folder, { readers: readReaders(folder), logins: readLogins(folder) });

export const writeReaders = (folder: string, readers: readonly Reader[]): void =>
  writeInstallation(folder, { readers, logins: readLogins(folder) });

export const writeLogins = (folder: string, logins: readonly Login[]): void =>
  writeInstallation(folder, { readers: readReaders(folder), logins });
