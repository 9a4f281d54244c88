import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { BROKER_CONFIG, usersConfig } from './config.ts';
import { declared } from './declared.ts';
import { Reader } from './reader.ts';

/** Where the broker's configuration lies, unless said otherwise. */
export const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

const fileOf = (folder: string): string => join(folder, 'readers.json');

/** The readers of this installation. */
export const readReaders = (folder: string): Reader[] => {
  const file = fileOf(folder);
  return existsSync(file) ? z.array(Reader).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
};

/** Writes the broker's configuration, in place: a container may have mounted the files. */
export const writeBroker = (folder: string, readers = readReaders(folder)): void => {
  writeFileSync(join(folder, 'nats.conf'), BROKER_CONFIG);
  writeFileSync(join(folder, 'users.conf'), usersConfig(declared, readers));
};

export const writeReaders = (folder: string, readers: readonly Reader[]): void => {
  writeFileSync(fileOf(folder), `${JSON.stringify(readers, null, 2)}\n`);
  writeBroker(folder, [...readers]);
};
