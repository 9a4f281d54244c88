import { randomBytes } from 'node:crypto';

/** The most requests that may wait at once. */
const MAX_PENDING = 2 ** 20;
/** 128 random bits, as base64url. */
const SECRET_BYTES = 16;
const SECRET_LENGTH = 22;
/** Random bytes are drawn for so many secrets at once, since each draw is a system call. */
const SECRETS_PER_DRAW = 256;

/** Draws secrets of 128 random bits, each a token of a subject. */
class Secrets {
  #bytes = Buffer.alloc(0);

  next(): string {
    if (this.#bytes.length === 0) this.#bytes = randomBytes(SECRET_BYTES * SECRETS_PER_DRAW);
    const secret = this.#bytes.toString('base64url', 0, SECRET_BYTES);
    this.#bytes = this.#bytes.subarray(SECRET_BYTES);
    return secret;
  }
}

/**
 * Requests to one service that wait for their replies, each under a key that only the caller, the broker and that service learn.
 * A key is 128 random bits followed by the index of its place. Places are used again, because a `Map` with thousands of
 * insertions a second leaves old tables behind that delay garbage collection.
 */
export class PendingReplies<T> {
  readonly #pending: (T | undefined)[] = [];
  readonly #keys: string[] = [];
  readonly #free: number[] = [];
  readonly #secrets = new Secrets();

  /** Keeps a request and returns its key, which is one token of a subject. */
  add(request: T): string {
    const place = this.#free.pop() ?? this.#pending.length;
    if (place >= MAX_PENDING) throw new Error(`More than ${MAX_PENDING} requests wait`);
    this.#pending[place] = request;
    return (this.#keys[place] ??= this.#newKey(place));
  }

  get(key: string): T | undefined {
    const place = this.#placeOf(key);
    return place === undefined ? undefined : this.#pending[place];
  }

  /** Removes a request whose reply may still arrive: its key is not given again. */
  remove(key: string): void {
    const place = this.#release(key);
    if (place !== undefined) this.#keys[place] = this.#newKey(place);
  }

  /** Removes a request whose only reply has arrived: the next one gets its key, a subject that the broker has in its cache. */
  settle(key: string): void {
    this.#release(key);
  }

  /** All requests that wait, with their keys. */
  entries(): [key: string, request: T][] {
    return this.#pending.flatMap((request, place): [string, T][] =>
      request === undefined ? [] : [[this.#keys[place] ?? '', request]],
    );
  }

  #newKey(place: number): string {
    return this.#secrets.next() + place.toString(36);
  }

  #release(key: string): number | undefined {
    const place = this.#placeOf(key);
    if (place === undefined || this.#pending[place] === undefined) return undefined;
    this.#pending[place] = undefined;
    this.#free.push(place);
    return place;
  }

  #placeOf(key: string): number | undefined {
    const place = Number.parseInt(key.slice(SECRET_LENGTH), 36);
    return this.#keys[place] === key ? place : undefined;
  }
}
