import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import { fixedValue, type LiveValue } from '../base/live-value.ts';
import { ConnectionLost } from './database-fault.ts';

/** The URL parameters that name TLS files, as in libpq, and the driver option for the content of each. */
export const TLS_FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;
const NAMES = Object.keys(TLS_FILES) as (keyof typeof TLS_FILES)[];

/** The last content that could be read of each file. A file may be missing for a moment while it is exchanged. */
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

/**
 * Like `verify-full`: the certificate must be valid, issued by a known authority, and issued for the host in the URL.
 */
const tlsOf = (url: URL): ConnectionOptions => {
  const host = hostOf(url);
  const files = NAMES.flatMap((name) => {
    const file = url.searchParams.get(name);
    return file === null ? [] : [[TLS_FILES[name], contentOf(file)] as const];
  });
  // Without `host`, Node would look for `localhost` in the certificate of an IP address.
  return { ...Object.fromEntries(files), ...(isIP(host) === 0 ? {} : { host }), rejectUnauthorized: true };
};

/** The driver's options for one connection. Certificate files are read now. */
const optionsOf = (urlText: string, password: string | undefined): pg.ClientConfig => {
  const url = new URL(urlText);
  const mode = url.searchParams.get('sslmode');
  const ssl = mode === 'verify-full' ? tlsOf(url) : mode === 'disable' ? false : undefined;
  for (const name of ['sslmode', ...NAMES]) url.searchParams.delete(name);
  if (password !== undefined) url.password = encodeURIComponent(password);
  return { connectionString: url.href, ...(ssl === undefined ? {} : { ssl }) };
};

/** The database refused a password, and another password is left to try. */
export class PasswordRefusedError extends ConnectionLost {}

/**
 * The address and login of a database, read again for each connection. A login may have several passwords while they
 * are exchanged. The password that was accepted last is tried first.
 */
export class DatabaseAddress {
  readonly #url: LiveValue<string>;
  readonly #passwords: LiveValue<readonly string[]>;
  #preferred: string | undefined;

  /** `passwords`: empty if the URL contains the password or the login needs none. */
  constructor(url: LiveValue<string>, passwords: LiveValue<readonly string[]> = fixedValue([])) {
    this.#url = url;
    this.#passwords = passwords;
  }

  get url(): string {
    return this.#url();
  }

  /** The number of connections to try until one password is accepted. */
  get maxAttempts(): number {
    return Math.max(1, this.#passwords().length);
  }

  /** The driver's options for the next connection, and the password that they contain. */
  nextLogin(): { options: pg.ClientConfig; password: string | undefined } {
    const all = this.#passwords();
    const password = this.#preferred !== undefined && all.includes(this.#preferred) ? this.#preferred : all[0];
    return { options: optionsOf(this.#url(), password), password };
  }

  /** Notes that the database refused this password. Returns whether another password is left; it is used next. */
  rejectPassword(password: string | undefined): boolean {
    const all = this.#passwords();
    const next = all[(all.indexOf(password ?? '') + 1) % all.length];
    if (next === undefined || next === password) return false;
    // If several connections were refused at once, only the first moves on to the next password.
    if ((this.#preferred ?? all[0]) === password || !all.includes(this.#preferred ?? '')) this.#preferred = next;
    return true;
  }
}

/** A complete URL, or an address that may change. */
export type Address = string | DatabaseAddress;

export const addressOf = (address: Address): DatabaseAddress =>
  typeof address === 'string' ? new DatabaseAddress(fixedValue(address)) : address;

/** Connects until one password is accepted or none is left. */
export const withEachPassword = async <T>(address: Address, connect: () => Promise<T>): Promise<T> => {
  for (let left = addressOf(address).maxAttempts; ; left -= 1) {
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof PasswordRefusedError) || left <= 1) throw error;
    }
  }
};
