import { LRUCache } from 'lru-cache';

/** Milliseconds that one unit of work takes of its address: a refusal or a short answer is one unit. */
const UNIT_MS = 1;
/** Bytes of an answer, or of a body that is refused, that cost as much. */
export const BYTES_PER_UNIT = 65_536;
/** An address that was silent may do so many units at once: a page of the console with its files. */
const BURST = 64;
/** Addresses counted at once; a new one evicts the least recently used one. */
const MAX_ADDRESSES = 100_000;

/**
 * Counts units of work that an address causes without credentials, and returns the milliseconds that the work must wait:
 * 0 in a burst, `most_ms` at most. So the work of one address is spread over time, and requests of users are performed
 * between its requests.
 */
export type AddressPace = (address: string, units: number) => number;

/** `clock` returns milliseconds and never goes back. */
export const createAddressPace = (most_ms: number, clock: () => number = () => performance.now()): AddressPace => {
  /** When the counted work of each address is done. */
  const done = new LRUCache<string, number>({ maxSize: MAX_ADDRESSES, sizeCalculation: () => 1 });
  return (address, units) => {
    const now = clock();
    const begin = Math.max(done.get(address) ?? 0, now - BURST * UNIT_MS);
    done.set(address, Math.min(begin + units * UNIT_MS, now + most_ms));
    return Math.max(0, begin - now);
  };
};
