import { Problem } from '@teaching/contracts';
import { type Logger, FailureLog, wait } from '@teaching/kit';
import type { GatewayConfig } from '../config.ts';
import { readKeyFile, fetchKeySet, type PublicKey, type ReadKeys } from './public-keys.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Interval between two log lines while the keys cannot be read. */
const LOG_INTERVAL_MS = 5_000;
/** Shortest time between two reads that tokens with an unknown key cause, for all such tokens together. */
const COOL_DOWN_MS = 30_000;

/** The public keys of the token issuer. */
export interface Keys {
  /** False until the first successful read, and when the last successful read is too old. */
  areAvailable: () => boolean;
  /**
   * The key that a token's `kid` names, or the only key if the token names none; undefined if there is no such key.
   * Throws 503 while the keys are unknown.
   */
  find: (kid: string | undefined) => PublicKey | undefined | Promise<PublicKey | undefined>;
  /** Whether the issuer still publishes this key, by the last read. */
  isCurrent: (key: PublicKey) => boolean;
  /** Milliseconds since the last successful read; undefined before the first. */
  age_ms: () => number | undefined;
}

export interface KeyOptions {
  read: ReadKeys;
  /** Milliseconds for which the last keys stay valid while they cannot be read. */
  maxStale_ms: number;
  /** The algorithm of the tokens. */
  alg: string;
  /** Logs that the keys cannot be read. */
  failureLog: FailureLog;
  clock?: () => number;
}

const unavailable = (detail: string): Problem => new Problem('unavailable', detail);

/** Keeps the keys of the last successful read. */
export class KeyStore implements Keys {
  #keys: readonly PublicKey[] = [];
  #readAt = -Infinity;
  #searchedAt = -Infinity;
  #hasFailed = false;
  #reading: Promise<void> | undefined;
  readonly #options: Required<KeyOptions>;

  constructor(options: KeyOptions) {
    this.#options = { clock: () => performance.now(), ...options };
  }

  areAvailable = (): boolean =>
    this.#keys.length > 0 && this.#options.clock() - this.#readAt <= this.#options.maxStale_ms;

  isCurrent = (key: PublicKey): boolean => this.#keys.includes(key) && this.areAvailable();

  age_ms = (): number | undefined => (this.#keys.length === 0 ? undefined : this.#options.clock() - this.#readAt);

  find = (kid: string | undefined): PublicKey | undefined | Promise<PublicKey | undefined> => {
    if (!this.areAvailable()) throw unavailable('The keys of the token issuer are not available');
    if (kid === undefined) return this.#keys.length === 1 ? this.#keys[0] : undefined;
    return this.#named(kid) ?? this.#searchAgain(kid);
  };

  #named(kid: string): PublicKey | undefined {
    return this.#keys.find((key) => key.kid === kid);
  }

  async #searchAgain(kid: string): Promise<PublicKey | undefined> {
    const now = this.#options.clock();
    const maySearch = now - this.#searchedAt >= COOL_DOWN_MS;
    if (this.#reading === undefined && maySearch) this.#searchedAt = now;
    if (this.#reading !== undefined || maySearch) await this.readOnce();
    const key = this.#named(kid);
    // The key may be among those that cannot be read.
    if (key === undefined && this.#hasFailed) throw unavailable('The keys of the token issuer cannot be read');
    return key;
  }

  /** Reads the keys now; concurrent calls share one read. Never rejects. */
  readOnce(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { read, alg, failureLog, clock } = this.#options;
    try {
      const found = await read();
      // A key that is still published stays the same object, because cached tokens refer to it.
      this.#keys = found.map((key) => this.#keys.find(({ kid, pem }) => kid === key.kid && pem === key.pem) ?? key);
      this.#readAt = clock();
      this.#hasFailed = false;
      if (found.length > 0) failureLog.logRecovery();
      else failureLog.report(`there is no public key that verifies ${alg} (JWT_ALGORITHM)`);
    } catch (error) {
      this.#hasFailed = true;
      failureLog.report(error instanceof Error ? error.message : String(error));
    }
  }

  /** Reads the keys every `every_ms` until `stop` is aborted; more often while they cannot be read. */
  async run(every_ms: number, stop: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !stop.aborted;) {
      await this.readOnce();
      const isHealthy = !this.#hasFailed && this.#keys.length > 0;
      await wait(isHealthy ? every_ms : Math.min(pause, every_ms), stop);
      pause = isHealthy ? FIRST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }
}

/** Starts reading the issuer's keys. A faulty file fails the start; a URL may answer later. `stop` ends the reads. */
export const openKeys = async (config: GatewayConfig, log: Logger, stop: AbortSignal): Promise<Keys> => {
  const { JWKS_URL, JWKS_FILE = '', JWT_ALGORITHM: alg } = config;
  const read = JWKS_URL === undefined ? () => readKeyFile(JWKS_FILE, alg) : () => fetchKeySet(JWKS_URL, alg);
  const where = JWKS_URL === undefined ? 'JWKS_FILE' : 'JWKS_URL';
  const failureLog = new FailureLog(log, `waiting for the keys of the token issuer (${where})`, LOG_INTERVAL_MS);
  const keys = new KeyStore({ read, alg, maxStale_ms: config.JWKS_MAX_STALE * 1_000, failureLog });
  if (JWKS_URL === undefined) {
    // A faulty file prevents the start.
    await read();
    await keys.readOnce();
  }
  void keys.run(config.JWKS_REFRESH_SECONDS * 1_000, stop);
  return keys;
};
