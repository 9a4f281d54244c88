import { z } from 'zod';

/** How often an instance says that it serves. */
export const BEAT_MS = 500;
/** One that has said nothing for so long is asked nothing more. */
export const STALE_MS = 1_500;

/** What an instance says of itself on `beat.<service>`. */
export const Beat = z.object({ id: z.string(), leaving: z.boolean() });
export type Beat = z.output<typeof Beat>;

/** An instance of a service that can be asked by its own subject. */
export interface Instance {
  readonly id: string;
  readonly service: string;
  /** When it was heard last. */
  seen: number;
  /** Calls it has not answered yet, of this process. */
  pending: number;
}

/** Which instances of each service serve, as they say themselves. */
export class Instances {
  readonly #serving = new Map<string, Instance[]>();

  heard(service: string, { id, leaving }: Beat, now: number): void {
    const known = this.#of(service).find((one) => one.id === id);
    if (leaving) {
      if (known !== undefined) this.remove(known);
    } else if (known === undefined) this.#of(service).push({ id, service, seen: now, pending: 0 });
    else known.seen = now;
  }

  /** The one with the least to do; undefined while none is known. */
  pick(service: string): Instance | undefined {
    const all = this.#serving.get(service);
    if (all === undefined) return undefined;
    let best: Instance | undefined;
    for (const one of all) if (best === undefined || one.pending < best.pending) best = one;
    // The next of several equals is asked next time.
    if (best !== undefined && all.length > 1 && best === all[0]) all.push(...all.splice(0, 1));
    return best;
  }

  remove(instance: Instance): void {
    const rest = this.#of(instance.service).filter((one) => one !== instance);
    this.#serving.set(instance.service, rest);
  }

  /** Those of a service, as they were heard of. */
  all(service: string): readonly Instance[] {
    return this.#serving.get(service) ?? [];
  }

  /** Removes and answers those that have fallen silent. */
  takeStale(now: number): Instance[] {
    const stale = [...this.#serving.values()].flat().filter(({ seen }) => now - seen > STALE_MS);
    for (const one of stale) this.remove(one);
    return stale;
  }

  /** This process stood still for so long itself: nobody else is to blame. */
  excuse(ms: number): void {
    for (const one of [...this.#serving.values()].flat()) one.seen += ms;
  }

  #of(service: string): Instance[] {
    const known = this.#serving.get(service);
    if (known !== undefined) return known;
    const fresh: Instance[] = [];
    this.#serving.set(service, fresh);
    return fresh;
  }
}
