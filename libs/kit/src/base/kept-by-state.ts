import { LRUCache } from 'lru-cache';

/** Of all that one of these keeps. */
const MOST_CHARACTERS = 16_000_000;
/** Keys that are known to have been asked for lately, at most. */
const ASKED = 4_096;

/** 32 bits that say which key it is, nearly always (FNV-1a). */
const hashOf = (key: string): number => {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
};

/**
 * Values, each with the state of what it is made of. Nothing here says whether a value is still true: who asks reads the state,
 * and takes a value of that state only. The longest unused go first.
 */
export class KeptByState<V extends object> {
  readonly #kept = new LRUCache<string, { state: string; value: V }>({ maxSize: MOST_CHARACTERS });
  /** The hash of each, at a place that it says; whoever comes to the same place later is there instead. */
  readonly #asked = new Uint32Array(ASKED);

  /**
   * Whether somebody asked for it a moment ago, so that keeping it is likely to pay: what is asked for once, as by a search word that
   * is being typed, costs more to keep than to forget.
   */
  isAskedAgain(key: string): boolean {
    if (this.#kept.has(key)) return true;
    const hash = hashOf(key);
    const place = hash % ASKED;
    if (this.#asked[place] === hash) return true;
    this.#asked[place] = hash;
    return false;
  }

  /** What is kept, of whatever state: to decide whether it pays to ask for the state. */
  peek(key: string): V | undefined {
    return this.#kept.peek(key)?.value;
  }

  find(key: string, state: string): V | undefined {
    const found = this.#kept.get(key);
    return found?.state === state ? found.value : undefined;
  }

  /** `characters`: about how many the value takes. */
  keep(key: string, state: string, value: V, characters: number): void {
    this.#kept.set(key, { state, value }, { size: characters + state.length + key.length });
  }
}
