import { Problem } from '@teaching/contracts';
import { type Logger, FailureLog, wait } from '@teaching/kit';
import type { GatewayConfig } from '../config.ts';
import { keysOfFile, keysOfUrl, type PublicKey, type ReadKeys } from './public-keys.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** How often it is said that the keys cannot be read. */
const SAY_MS = 5_000;
/** A token that names an unknown key has them read again, but all such tokens together only once in this time. */
const COOL_DOWN_MS = 30_000;

/** The public keys of the token issuer. */
export interface Keys {
  /** False until they could be read for the first time, and when they could not be read again for too long. */
  areThere: () => boolean;
  /** The key that a token's `kid` names, or the only one there is when it names none; undefined if there is none such. */
  find: (kid: string | undefined) => PublicKey | undefined | Promise<PublicKey | undefined>;
  /** Whether the issuer still publishes this key, as far as is known. */
  isCurrent: (key: PublicKey) => boolean;
  /** Milliseconds since they could be read; undefined before that. */
  age_ms: () => number | undefined;
}

export interface KeyOptions {
  read: ReadKeys;
  /** Milliseconds for which the last keys count while they cannot be read again. */
  maxStale_ms: number;
  /** Of the tokens. */
  alg: string;
  /** What is said while they cannot be read. */
  teller: FailureLog;
  clock?: () => number;
}

const unavailable = (detail: string): Problem => new Problem('unavailable', detail);

/** Keeps the last keys that could be read. */
export class KeyStore implements Keys {
  #keys: readonly PublicKey[] = [];
  #readAt = -Infinity;
  #lookedAt = -Infinity;
  #isInTrouble = false;
  #reading: Promise<void> | undefined;
  readonly #options: Required<KeyOptions>;

  constructor(options: KeyOptions) {
    this.#options = { clock: Date.now, ...options };
  }

  areThere = (): boolean => this.#keys.length > 0 && this.#options.clock() - this.#readAt <= this.#options.maxStale_ms;

  isCurrent = (key: PublicKey): boolean => this.#keys.includes(key) && this.areThere();

  age_ms = (): number | undefined => (this.#keys.length === 0 ? undefined : this.#options.clock() - this.#readAt);

  find = (kid: string | undefined): PublicKey | undefined | Promise<PublicKey | undefined> => {
    if (!this.areThere()) throw unavailable('The keys of the token issuer are not there');
    if (kid === undefined) return this.#keys.length === 1 ? this.#keys[0] : undefined;
    return this.#named(kid) ?? this.#lookAgain(kid);
  };

  #named(kid: string): PublicKey | undefined {
    return this.#keys.find((key) => key.kid === kid);
  }

  async #lookAgain(kid: string): Promise<PublicKey | undefined> {
    const now = this.#options.clock();
    const mayLook = now - this.#lookedAt >= COOL_DOWN_MS;
    if (this.#reading === undefined && mayLook) this.#lookedAt = now;
    if (this.#reading !== undefined || mayLook) await this.readOnce();
    const key = this.#named(kid);
    // It may be one of those that cannot be read.
    if (key === undefined && this.#isInTrouble) throw unavailable('The keys of the token issuer cannot be read');
    return key;
  }

  /** Reads them now; concurrent calls share one read. Never rejects. */
  readOnce(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { read, alg, teller, clock } = this.#options;
    try {
      const found = await read();
      // A key that stays is the same object, which tokens are known by.
      this.#keys = found.map((key) => this.#keys.find(({ kid, pem }) => kid === key.kid && pem === key.pem) ?? key);
      this.#readAt = clock();
      this.#isInTrouble = false;
      if (found.length > 0) teller.over();
      else teller.tell(`there is no public key that verifies ${alg} (JWT_ALGORITHM)`);
    } catch (error) {
      this.#isInTrouble = true;
      teller.tell(error instanceof Error ? error.message : String(error));
    }
  }

  /** Reads them every so often until `stop` is aborted; sooner while they cannot be read. */
  async run(every_ms: number, stop: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !stop.aborted;) {
      await this.readOnce();
      const isWell = !this.#isInTrouble && this.#keys.length > 0;
      await wait(isWell ? every_ms : Math.min(pause, every_ms), stop);
      pause = isWell ? FIRST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }
}

/** Reads the issuer's keys: a file must be right at the start, a URL may answer later. `stop` ends the reading. */
export const openKeys = async (config: GatewayConfig, log: Logger, stop: AbortSignal): Promise<Keys> => {
  const { JWKS_URL, JWKS_FILE = '', JWT_ALGORITHM: alg } = config;
  const read = JWKS_URL === undefined ? () => keysOfFile(JWKS_FILE, alg) : () => keysOfUrl(JWKS_URL, alg);
  const where = JWKS_URL === undefined ? 'JWKS_FILE' : 'JWKS_URL';
  const teller = new FailureLog(log, `waiting for the keys of the token issuer (${where})`, SAY_MS);
  const keys = new KeyStore({ read, alg, maxStale_ms: config.JWKS_MAX_STALE * 1_000, teller });
  if (JWKS_URL === undefined) {
    // What is wrong with a file is told by not starting.
    await read();
    await keys.readOnce();
  }
  void keys.run(config.JWKS_REFRESH_SECONDS * 1_000, stop);
  return keys;
};
