import { z } from 'zod';
import type { ClockSkew } from './clock-skew.ts';
import { PeerClock } from './peer-clock.ts';

/** How often an instance publishes its heartbeat. */
export const HEARTBEAT_MS = 500;
/** An instance without a heartbeat for this time gets no more requests. */
export const SILENT_MS = 1_500;
/** If no heartbeat of any instance arrived for longer, this process was disconnected or paused. */
const GAP_MS = 750;

/** The heartbeat of an instance, on `beat.<service>`, with its clocks (`SentTime`). */
export const Heartbeat = z.object({
  id: z.string(),
  leaving: z.boolean(),
  at: z.number().optional(),
  monotonic_ms: z.number().optional(),
});
export type Heartbeat = z.output<typeof Heartbeat>;

/** The heartbeat of an instance of this process, as a message. */
export const encodeHeartbeat = (id: string, leaving: boolean): Buffer =>
  Buffer.from(JSON.stringify({ id, leaving, at: Date.now(), monotonic_ms: performance.now() } satisfies Heartbeat));

/** An instance that can be called on its own subject. */
export interface Instance {
  readonly id: string;
  readonly service: string;
  readonly clock: PeerClock;
  /** When its last heartbeat arrived, by the clock of `Instances`. */
  lastSeen: number;
  /** The number of calls of this process that it has not answered. */
  pending: number;
}

/**
 * The instances of each service, known from their heartbeats. A queue group alone would keep sending a frozen instance
 * its share of the calls, and would not repeat the reads that it has (`libs/kit/test/instances.long.test.ts`).
 */
export class Instances {
  readonly #serving = new Map<string, Instance[]>();
  /**
   * Milliseconds in which heartbeats arrived. It stops while this process is disconnected, so no instance gets silent.
   */
  #clock = 0;
  /** When the last heartbeat of any instance arrived, by `performance.now()`. */
  #lastDelivery = 0;

  /** Records that a heartbeat arrived, possibly one of this process: the broker delivers. */
  recordDelivery(now: number): void {
    this.#clock += Math.min(now - this.#lastDelivery, GAP_MS);
    this.#lastDelivery = now;
  }

  recordHeartbeat(service: string, { id, leaving, ...sent }: Heartbeat, now: number): void {
    this.recordDelivery(now);
    const all = this.all(service);
    const known = all.find((one) => one.id === id);
    if (leaving) {
      if (known !== undefined) this.remove(known);
      return;
    }
    const one = known ?? { id, service, clock: new PeerClock(), lastSeen: this.#clock, pending: 0 };
    if (known === undefined) this.#serving.set(service, [...all, one]);
    one.lastSeen = this.#clock;
    one.clock.add(sent, now);
  }

  /** The instance with the fewest pending calls; equal ones in turn. Undefined while no instance is known. */
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

  /** By how much the wall clocks of all instances differ from that of this process. */
  clockSkews(): ClockSkew[] {
    return [...this.#serving.values()]
      .flat()
      .flatMap(({ service, clock: { skew_ms } }) => (skew_ms === undefined ? [] : [{ part: service, skew_ms }]));
  }

  /** Removes and returns the instances that were silent while other heartbeats arrived. */
  removeSilent(): Instance[] {
    const silent = [...this.#serving.values()].flat().filter(({ lastSeen }) => this.#clock - lastSeen > SILENT_MS);
    for (const one of silent) this.remove(one);
    return silent;
  }
}

/** A request as an instance receives it. The broker has authenticated `from`. */
export interface IncomingRequest {
  from: string;
  endpoint: string;
  /** The frame of the call. Read-only. */
  data: Uint8Array;
  reply: (frame: Uint8Array) => void;
}

/**
 * The instances in this process that take requests without the broker (ADR 35), by id. Callers know from heartbeats
 * that they serve, like every other instance.
 */
export const localInstances = new Map<string, (request: IncomingRequest) => void>();
