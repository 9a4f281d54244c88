import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { OWN_FOLDER } from './setup-paths.mjs';

const NAME = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';

/** Where packages put it; /usr/sbin is often missing from an ordinary user's PATH. */
const USUAL = ['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];

/** Where the set-up stores its own. */
export const OWN_NATS_SERVER = join(OWN_FOLDER, NAME);

/** Path of a nats-server, or undefined. NATS_SERVER names one instead of the one that would be found. */
export const findNatsServer = () => {
  const named = process.env.NATS_SERVER;
  if (named && !existsSync(named)) throw new Error(`NATS_SERVER names ${named}, which is not there.`);
  if (named) return named;
  const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const places = [...path, ...(process.platform === 'win32' ? [] : USUAL)].map((folder) => join(folder, NAME));
  return [...places, OWN_NATS_SERVER].find((place) => existsSync(place));
};
