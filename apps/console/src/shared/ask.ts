import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { ChangeKind } from '@teaching/contracts';
import { useEffect, useMemo } from 'preact/hooks';
import { type Concern, concerns, type Hint } from './ask.rules.ts';
import { session } from './session.ts';

/** What was asked for, and what came of it. What was there before stays visible while it is asked again. */
export interface Asked<T> {
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

type Ask<T> = (signal: AbortSignal) => Promise<T>;

const MOST = 200;
/** An answer that is younger is shown without asking again. */
const FRESH_MS = 20_000;
/** Changes come in groups. */
const GATHER_MS = 60;

class Entry<T> implements Asked<T> {
  readonly data = signal<T | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  readonly isBusy = signal(false);
  readonly concern: Concern;
  watchers = 0;
  ask: Ask<T>;
  #askedAt = -Infinity;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: Ask<T>, concern: Concern) {
    this.ask = ask;
    this.concern = concern;
  }

  again = async (): Promise<void> => {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.isBusy.value = true;
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
      if (this.#controller === controller) this.isBusy.value = false;
    }
  };

  put = (data: T): void => {
    this.data.value = data;
    if (this.isBusy.peek()) void this.again();
  };

  putMeanwhile = (data: T): void => {
    this.data.value = data;
  };

  /** It may be another by now: asked again if somebody looks at it, else when somebody does. */
  outdated(): void {
    this.#askedAt = -Infinity;
    if (this.watchers === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.watchers > 0) void this.again();
    }, GATHER_MS);
  }

  look(): void {
    if (performance.now() - this.#askedAt > FRESH_MS || this.error.value !== undefined) void this.again();
  }
}

const entries = new Map<string, Entry<unknown>>();

const entryOf = <T>(key: string, ask: Ask<T>, concern: Concern): Entry<T> => {
  const known = entries.get(key) as Entry<T> | undefined; // a key stands for one kind of answer
  const entry = known ?? new Entry(ask, concern);
  entry.ask = ask;
  entries.delete(key);
  entries.set(key, entry as Entry<unknown>);
  if (entries.size > MOST)
    for (const [oldest, { watchers }] of entries)
      if (watchers === 0 && oldest !== key) {
        entries.delete(oldest);
        break;
      }
  return entry;
};

/**
 * Asks for what `key` stands for, once however many components want it, and again whenever a change concerns it. Without a
 * key nothing is asked.
 */
export const useAsked = <T>(key: string | null, ask: Ask<T>, concern: Concern): Asked<T> => {
  const entry = useMemo(() => (key === null ? new Entry(ask, concern) : entryOf(key, ask, concern)), [key]);
  useEffect(() => {
    if (key === null) return undefined;
    entry.watchers += 1;
    entry.look();
    return () => {
      entry.watchers -= 1;
    };
  }, [entry]);
  return entry;
};

/** A change was told: what it concerns is asked again. */
export const heard = (hint: Hint): void => {
  for (const entry of entries.values()) if (concerns(entry.concern, hint)) entry.outdated();
};

/** What this page itself changed, by kind, so that nobody waits for being told. */
export const changed = (...kinds: readonly ChangeKind[]): void => {
  for (const entry of entries.values()) if (entry.concern.kinds.some((kind) => kinds.includes(kind))) entry.outdated();
};

/** Nobody knows what changed meanwhile. */
export const allOutdated = (): void => {
  for (const entry of entries.values()) entry.outdated();
};

let wasEnded = false;
session.subscribe(({ state }) => {
  // Nothing of one person stays for the next.
  if (state === 'out') entries.clear();
  // While a session is over, nobody tells this window what changes.
  if (state === 'in' && wasEnded) allOutdated();
  wasEnded = state === 'ended';
});
