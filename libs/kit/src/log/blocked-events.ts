import type { LogEntry } from './applier.ts';
import { type Obstacle, MAX_TRIES } from './dead-letter-statements.ts';
import type { ReceivedEvent } from './received-event.ts';

/**
 * If an event of an organization was too slow, its events become dead letters for this long, so that other
 * organizations do not wait.
 */
const SLOW_MS = 30_000;
const BLOCKED: Obstacle = { reason: 'an earlier event of this aggregate is a dead letter', tries: 0 };
const SLOW: Obstacle = { reason: 'events of this organization were too slow a moment ago', tries: 0 };

const keyOf = (org_id: string, aggregate_id: string): string => `${org_id} ${aggregate_id}`;

/** Decides which events cannot be applied now for a reason outside of the event itself. */
export class BlockedEvents {
  /** Aggregates that have dead letters. */
  readonly #blocked = new Set<string>();
  /** The end of the pause of each slow organization, in milliseconds of `performance.now()`. */
  readonly #slow = new Map<string, number>();

  /** Replaces the aggregates that have dead letters. */
  setBlockedAggregates(aggregates: readonly { org_id: string; aggregate_id: string }[]): void {
    this.#blocked.clear();
    for (const { org_id, aggregate_id } of aggregates) this.#blocked.add(keyOf(org_id, aggregate_id));
  }

  /** Whether any aggregate has dead letters. */
  get hasBlocked(): boolean {
    return this.#blocked.size > 0;
  }

  block({ orgid, subject }: ReceivedEvent): void {
    this.#blocked.add(keyOf(orgid, subject));
  }

  release(org_id: string, aggregate_id: string): void {
    this.#blocked.delete(keyOf(org_id, aggregate_id));
  }

  noteSlow({ orgid }: ReceivedEvent): void {
    this.#slow.set(orgid, performance.now() + SLOW_MS);
  }

  /**
   * Splits entries into events to apply and dead letters. An event becomes a dead letter for its own reason, or for
   * `blame`, which then holds for all.
   */
  partition(
    entries: readonly LogEntry[],
    blame: Obstacle | undefined,
  ): { fresh: ReceivedEvent[]; dead: [LogEntry, Obstacle][] } {
    const fresh: ReceivedEvent[] = [];
    const dead: [LogEntry, Obstacle][] = [];
    // Later events of an aggregate that gets its first dead letter now have to wait, too.
    const blockedNow = new Set<string>();
    for (const entry of entries) {
      const { event } = entry;
      if (event === undefined) continue;
      const key = keyOf(event.orgid, event.subject);
      const obstacle =
        blame ?? this.#obstacleTo(event, key, entry.unsupportedReason) ?? (blockedNow.has(key) ? BLOCKED : undefined);
      if (obstacle === undefined) fresh.push(event);
      else {
        dead.push([entry, obstacle]);
        blockedNow.add(key);
      }
    }
    return { fresh, dead };
  }

  #obstacleTo({ orgid }: ReceivedEvent, key: string, unknown: string | undefined): Obstacle | undefined {
    if (unknown !== undefined) return { reason: unknown, tries: MAX_TRIES };
    if (this.#blocked.has(key)) return BLOCKED;
    return (this.#slow.get(orgid) ?? 0) > performance.now() ? SLOW : undefined;
  }
}
