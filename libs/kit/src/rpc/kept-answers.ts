import { KeptByState } from '../base/kept-by-state.ts';
import { WrittenAnswer } from './handler.ts';

/** Epoch milliseconds between which it says the same, the second excluded, as far as time alone is concerned. */
interface Span {
  from: number;
  until: number;
}

interface Kept<A extends object> {
  span: Span;
  written: WrittenAnswer<A>;
}

const ALWAYS: Span = { from: -Infinity, until: Infinity };

/** Texts of answers, each with the state of what it is made of. */
export class KeptAnswers<A extends object = object> {
  readonly #kept = new KeptByState<Kept<A>>();

  isAskedAgain(key: string): boolean {
    return this.#kept.isAskedAgain(key);
  }

  /** Whether there is one that time has not overtaken: so that it pays to ask for the state. */
  has(key: string, now: Date): boolean {
    const span = this.#kept.peek(key)?.span;
    return span !== undefined && span.from <= now.getTime() && now.getTime() < span.until;
  }

  find(key: string, state: string): WrittenAnswer<A> | undefined {
    return this.#kept.find(key, state)?.written;
  }

  keep<B extends A>(key: string, state: string, answer: B, span = ALWAYS): WrittenAnswer<B> {
    const written = new WrittenAnswer(answer);
    this.#kept.keep(key, state, { span, written }, written.text.length);
    return written;
  }
}
