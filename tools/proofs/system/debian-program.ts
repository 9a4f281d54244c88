import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, startProgram } from '@teaching/local/program.ts';
import type { SystemUser } from '@teaching/local/postgres-user.ts';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';

/** A library path of the unpacked package: `usr/lib` and its folders of architectures. */
const librariesIn = (unpacked: string): string => {
  const lib = join(unpacked, 'usr/lib');
  return [lib, ...(existsSync(lib) ? readdirSync(lib) : []).map((folder) => join(lib, folder))].join(':');
};

/** Starts a program of a Debian package that is unpacked but not installed, with the libraries of the package. */
export const startDebianProgram = async (
  name: string,
  path: string,
  args: readonly string[],
  user?: SystemUser,
): Promise<Program> => {
  const unpacked = await unpackedFromDebian(name);
  const env = { ...process.env, LD_LIBRARY_PATH: librariesIn(unpacked) };
  return startProgram(join(unpacked, path), args, { env, user });
};
