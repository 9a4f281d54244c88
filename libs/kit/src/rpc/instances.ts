import { z } from 'zod';

/** How often an instance publishes its heartbeat. */
export const HEARTBEAT_MS = 500;
/** An instance without a heartbeat for so long gets no more requests. */
export const SILENT_MS = 1_500;
/** Without any heartbeat for longer, this process was cut off or paused. */
const GAP_MS = 750;

/** The heartbeat of an instance, on `beat.<service>`. */
export const Heartbeat = z.object({ id: z.string(), leaving: z.boolean() });
export type Heartbeat = z.output<typeof Heartbeat>;

/** An instance that can be asked by its own subject. */
export interface Instance {
  readonly id: string;
  readonly service: string;
  /** When its last heartbeat arrived, by the clock of its `Instances`. */
  seen: number;
  /** Calls of this process that it has not answered. */
  pending: number;
}

/**
 * The instances of each service, from their heartbeats. A queue group alone keeps sending a frozen instance its share of the
 * calls, and nothing repeats the reads that it has (`libs/kit/test/instances.long.test.ts`: "serve on while one of them …").
 */
export class Instances {
  readonly #serving = new Map<string, Instance[]>();
  /** Milliseconds in which heartbeats arrived. While this process is cut off or paused, no instance grows silent. */
  #clock = 0;
  /** When the last heartbeat of any instance arrived, by `performance.now()`. */
  #heard = 0;

  /** A heartbeat arrived, perhaps one of this process itself: the broker delivers. */
  noteDelivery(now: number): void {
    this.#clock += Math.min(now - this.#heard, GAP_MS);
    this.#heard = now;
  }

  note(service: string, { id, leaving }: Heartbeat, now: number): void {
    this.noteDelivery(now);
    const all = this.all(service);
    const known = all.find((one) => one.id === id);
    if (leaving) {
      if (known !== undefined) this.remove(known);
    } else if (known === undefined)
      this.#serving.set(service, [...all, { id, service, seen: this.#clock, pending: 0 }]);
    else known.seen = this.#clock;
  }

  /** The instance with the fewest pending calls, equals in turn; undefined while none is known. */
  pick(service: string): Instance | undefined {
    const all = this.#serving.get(service);
    if (all === undefined) return undefined;
    let best: Instance | undefined;
    for (const one of all) if (best === undefined || one.pending < best.pending) best = one;
    if (best !== undefined && all.length > 1 && best === all[0]) all.push(...all.splice(0, 1));
    return best;
  }

  remove(instance: Instance): void {
    const rest = this.all(instance.service).filter((one) => one !== instance);
    this.#serving.set(instance.service, rest);
  }

  all(service: string): readonly Instance[] {
    return this.#serving.get(service) ?? [];
  }

  /** Removes and returns the instances that were silent while others were heard. */
  takeSilent(): Instance[] {
    const silent = [...this.#serving.values()].flat().filter(({ seen }) => this.#clock - seen > SILENT_MS);
    for (const one of silent) this.remove(one);
    return silent;
  }
}

/** A request as an instance gets it. The broker vouches for `from`. */
export interface IncomingRequest {
  from: string;
  endpoint: string;
  /** A frame; it never changes. */
  data: Uint8Array;
  reply: (frame: Uint8Array) => void;
}

/**
 * Instances of this process that take requests without the broker (ADR 35), by id. Callers learn from heartbeats that they
 * serve, as of every other instance.
 */
export const localInstances = new Map<string, (request: IncomingRequest) => void>();
