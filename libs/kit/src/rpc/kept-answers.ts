import { LRUCache } from 'lru-cache';
import { WrittenAnswer } from './handler.ts';

/** Epoch milliseconds between which it says the same, the second excluded, as far as time alone is concerned. */
interface Span {
  from: number;
  until: number;
}

interface Kept<A extends object> {
  state: string;
  span: Span;
  written: WrittenAnswer<A>;
}

const ALWAYS: Span = { from: -Infinity, until: Infinity };

/** Of all that one of these keeps. */
const MOST_CHARACTERS = 16_000_000;
/** Answers that are known to have been asked for lately, at most. */
const ASKED = 4_096;

/** 32 bits that say which key it is, nearly always (FNV-1a). */
const hashOf = (key: string): number => {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
};

/**
 * Texts of answers, each with the state of what it is made of. Nothing here says whether a text is still true: who asks
 * reads the state, and takes a text of that state only. The longest unused go first.
 */
export class KeptAnswers<A extends object = object> {
  readonly #kept = new LRUCache<string, Kept<A>>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ state, written }, key) => written.text.length + state.length + key.length,
  });
  /** The hash of each, at a place that it says; whoever comes to the same place later is there instead. */
  readonly #asked = new Uint32Array(ASKED);

  /**
   * Whether somebody asked for it a moment ago, so that keeping it is likely to pay: what is read once, as by a search word that
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

  /** Whether there is one that time has not overtaken: so that it pays to ask for the state. */
  has(key: string, now: Date): boolean {
    const span = this.#kept.peek(key)?.span;
    return span !== undefined && span.from <= now.getTime() && now.getTime() < span.until;
  }

  find(key: string, state: string): WrittenAnswer<A> | undefined {
    const found = this.#kept.get(key);
    return found?.state === state ? found.written : undefined;
  }

  keep<B extends A>(key: string, state: string, answer: B, span = ALWAYS): WrittenAnswer<B> {
    const written = new WrittenAnswer(answer);
    this.#kept.set(key, { state, span, written });
    return written;
  }
}
