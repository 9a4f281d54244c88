import { ApiError, isTransient } from '@teaching/client/browser';
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Concern } from './concern.rules.ts';

/** The state of one request: its data, error and progress. Earlier data stays visible while it is requested again. */
export interface QueryState<T> {
  readonly data: ReadonlySignal<T | undefined>;
  readonly error: ReadonlySignal<unknown>;
  readonly isBusy: ReadonlySignal<boolean>;
  /** Requests the data again. */
  readonly refetch: () => Promise<void>;
  /**
   * Shows `data`, the result of a write or its expected result. A running request may have read the state before the
   * write, so the data is requested again.
   */
  readonly put: (data: T) => void;
  /** Shows `data` until the first answer arrives. */
  readonly putPlaceholder: (data: T) => void;
  /** Requests the data again after a temporary failure, if a component watches it. */
  readonly repeatSoon: (error: unknown) => void;
}

export type QueryFunction<T> = (signal: AbortSignal) => Promise<T>;

/** A younger answer is shown without a new request. */
const FRESH_MS = 20_000;
/** Changes arrive in groups; one request follows each group. */
const GATHER_MS = 60;

/** After a temporary failure the request is repeated after this time, or later if the system requires it. */
const REPEAT_MS = 3_000;

/** One request of the page and its last answer. */
export class QueryEntry<T> implements QueryState<T> {
  readonly data = signal<T | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly isBusy = signal(false);
  readonly concern: Concern;
  watchers = 0;
  request: QueryFunction<T>;
  #askedAt = -Infinity;
  #isStale = false;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #repeatTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: QueryFunction<T>, concern: Concern) {
    this.request = ask;
    this.concern = concern;
  }

  refetch = async (): Promise<void> => {
    clearTimeout(this.#repeatTimer);
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.isBusy.value = true;
    this.#isStale = false;
    this.#askedAt = performance.now();
    try {
      const data = await this.request(controller.signal);
      if (!controller.signal.aborted)
        batch(() => {
          this.data.value = data;
          this.error.value = undefined;
        });
    } catch (error) {
      if (controller.signal.aborted) return;
      this.error.value = error;
      if (isTransient(error)) this.repeatSoon(error);
    } finally {
      if (this.#controller === controller) {
        this.isBusy.value = false;
        if (this.#isStale) this.invalidate();
      }
    }
  };

  put = (data: T): void => {
    this.data.value = data;
    if (this.isBusy.peek()) void this.refetch();
  };

  putPlaceholder = (data: T): void => {
    this.data.value = data;
  };

  /**
   * Marks the data as outdated. It is requested again at once if a component watches it, else when the next
   * component does. A running request finishes and is shown first: otherwise no answer would be shown while changes
   * arrive faster than answers.
   */
  invalidate(): void {
    this.#askedAt = -Infinity;
    if (this.watchers === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isBusy.peek()) this.#isStale = true;
      else if (this.watchers > 0) void this.refetch();
    }, GATHER_MS);
  }

  repeatSoon = (error: unknown): void => {
    const required = error instanceof ApiError ? (error.retry_after_ms ?? 0) : 0;
    clearTimeout(this.#repeatTimer);
    this.#repeatTimer = setTimeout(() => this.restart(), Math.max(REPEAT_MS, required));
  };

  /** Requests the data again at once, instead of a running request, if a component watches it. */
  restart(): void {
    if (this.watchers > 0) void this.refetch();
    else this.#askedAt = -Infinity;
  }

  refetchIfStale(): void {
    if (performance.now() - this.#askedAt > FRESH_MS || this.error.value !== undefined) void this.refetch();
  }
}
