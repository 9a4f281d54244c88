import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import { fixedValue, type LiveValue } from '../base/live-value.ts';
import { ConnectionLost } from './database-fault.ts';

/** Parameters of a URL that name files of TLS, as libpq has them, and what they hold. */
export const TLS_FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;
const NAMES = Object.keys(TLS_FILES) as (keyof typeof TLS_FILES)[];

/** What files held when they could last be read: while one is being exchanged it may be missing for a moment. */
const lastRead = new Map<string, string>();
const contentOf = (file: string): string => {
  try {
    lastRead.set(file, readFileSync(file, 'utf8'));
  } catch (error) {
    if (!lastRead.has(file)) throw error;
  }
  return lastRead.get(file) ?? '';
};

export const hostOf = (url: URL): string => decodeURIComponent(url.hostname).replace(/^\[(.+)\]$/, '$1');

/** The certificate has to be of an authority we know, in force, and of the host that was meant (`verify-full`). */
const tlsOf = (url: URL): ConnectionOptions => {
  const host = hostOf(url);
  const files = NAMES.flatMap((name) => {
    const file = url.searchParams.get(name);
    return file === null ? [] : [[TLS_FILES[name], contentOf(file)] as const];
  });
  // Told nothing, Node would look for `localhost` in a certificate of an address.
  return { ...Object.fromEntries(files), ...(isIP(host) === 0 ? {} : { host }), rejectUnauthorized: true };
};

/** What the driver needs for one connection; files of certificates are read now. */
const optionsOf = (given: string, password: string | undefined): pg.ClientConfig => {
  const url = new URL(given);
  const mode = url.searchParams.get('sslmode');
  const ssl = mode === 'verify-full' ? tlsOf(url) : mode === 'disable' ? false : undefined;
  for (const name of ['sslmode', ...NAMES]) url.searchParams.delete(name);
  if (password !== undefined) url.password = encodeURIComponent(password);
  return { connectionString: url.href, ...(ssl === undefined ? {} : { ssl }) };
};

/** The database refused a password, and there is another one to try. */
export class PasswordRefused extends ConnectionLost {}

/**
 * Where a database is and as whom to log in, as it is when a connection is made. A login may have several passwords while
 * they are exchanged: the one that was right last is tried first.
 */
export class DatabaseAddress {
  readonly #url: LiveValue<string>;
  readonly #passwords: LiveValue<readonly string[]>;
  #preferred: string | undefined;

  /** `passwords`: none if the URL has it, or the login needs none. */
  constructor(url: LiveValue<string>, passwords: LiveValue<readonly string[]> = fixedValue([])) {
    this.#url = url;
    this.#passwords = passwords;
  }

  get url(): string {
    return this.#url();
  }

  /** How many connections may have to be tried until one is let in. */
  get tries(): number {
    return Math.max(1, this.#passwords().length);
  }

  /** For the next connection: what the driver needs, and the password it is made with. */
  next(): { options: pg.ClientConfig; password: string | undefined } {
    const all = this.#passwords();
    const password = this.#preferred !== undefined && all.includes(this.#preferred) ? this.#preferred : all[0];
    return { options: optionsOf(this.#url(), password), password };
  }

  /** The database refused a connection with this password: answers whether there is another one, which is next. */
  refuse(password: string | undefined): boolean {
    const all = this.#passwords();
    const next = all[(all.indexOf(password ?? '') + 1) % all.length];
    if (next === undefined || next === password) return false;
    // Of several that were refused at once the first says so.
    if ((this.#preferred ?? all[0]) === password || !all.includes(this.#preferred ?? '')) this.#preferred = next;
    return true;
  }
}

/** A URL that holds everything, or an address that may change. */
export type Address = string | DatabaseAddress;

export const addressOf = (address: Address): DatabaseAddress =>
  typeof address === 'string' ? new DatabaseAddress(fixedValue(address)) : address;

/** Makes connections until one is let in, or none of the passwords is left. */
export const withEachPassword = async <T>(address: Address, connect: () => Promise<T>): Promise<T> => {
  for (let left = addressOf(address).tries; ; left -= 1) {
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof PasswordRefused) || left <= 1) throw error;
    }
  }
};
