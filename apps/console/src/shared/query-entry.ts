import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Concern } from './concern.rules.ts';

/** What was asked for, and what came of it. What was there before stays visible while it is asked again. */
export interface QueryState<T> {
  readonly data: ReadonlySignal<T | undefined>;
  readonly error: ReadonlySignal<unknown>;
  readonly isBusy: ReadonlySignal<boolean>;
  /** Asks once more. */
  readonly again: () => Promise<void>;
  /** Shows this: what a write answered, or what it will. An answer that is on its way may not know of it, so it is asked again. */
  readonly put: (data: T) => void;
  /** Shows this until the first answer is there. */
  readonly putMeanwhile: (data: T) => void;
}

export type QueryFunction<T> = (signal: AbortSignal) => Promise<T>;

/** An answer that is younger is shown without asking again. */
const FRESH_MS = 20_000;
/** Changes come in groups. */
const GATHER_MS = 60;

/** One question of the page, with its answer. */
export class QueryEntry<T> implements QueryState<T> {
  readonly data = signal<T | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly isBusy = signal(false);
  readonly concern: Concern;
  watchers = 0;
  ask: QueryFunction<T>;
  #askedAt = -Infinity;
  #isStale = false;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: QueryFunction<T>, concern: Concern) {
    this.ask = ask;
    this.concern = concern;
  }

  again = async (): Promise<void> => {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.isBusy.value = true;
    this.#isStale = false;
    this.#askedAt = performance.now();
    try {
      const data = await this.ask(controller.signal);
      if (!controller.signal.aborted)
        batch(() => {
          this.data.value = data;
          this.error.value = undefined;
        });
    } catch (error) {
      if (!controller.signal.aborted) this.error.value = error;
    } finally {
      if (this.#controller === controller) {
        this.isBusy.value = false;
        if (this.#isStale) this.outdated();
      }
    }
  };

  put = (data: T): void => {
    this.data.value = data;
    if (this.isBusy.peek()) void this.again();
  };

  putMeanwhile = (data: T): void => {
    this.data.value = data;
  };

  /**
   * It may be another by now: asked again if somebody looks at it, else when somebody does. An answer that is on its way is shown
   * first: where changes come faster than answers, nobody would see any.
   */
  outdated(): void {
    this.#askedAt = -Infinity;
    if (this.watchers === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isBusy.peek()) this.#isStale = true;
      else if (this.watchers > 0) void this.again();
    }, GATHER_MS);
  }

  look(): void {
    if (performance.now() - this.#askedAt > FRESH_MS || this.error.value !== undefined) void this.again();
  }
}
