import type { LogEntry } from './applier.ts';
import { type Obstacle, MAX_TRIES } from './dead-letter-statements.ts';
import type { ReceivedEvent } from './received-event.ts';

/** Events of an organization that had one that was too slow are dead letters for a while, so that no other waits. */
const SLOW_MS = 30_000;
const BEHIND: Obstacle = { reason: 'an earlier event of this aggregate is a dead letter', tries: 0 };
const SLOW: Obstacle = { reason: 'events of this organization were too slow a moment ago', tries: 0 };

const keyOf = (org_id: string, aggregate_id: string): string => `${org_id} ${aggregate_id}`;

/** Which events cannot be applied now, though nothing is known against them themselves. */
export class BlockedEvents {
  /** Aggregates that have dead letters. */
  readonly #blocked = new Set<string>();
  /** Until when organizations count as slow. */
  readonly #slow = new Map<string, number>();

  /** These aggregates have dead letters, and no others. */
  blockOnly(aggregates: readonly { org_id: string; aggregate_id: string }[]): void {
    this.#blocked.clear();
    for (const { org_id, aggregate_id } of aggregates) this.#blocked.add(keyOf(org_id, aggregate_id));
  }

  /** Whether any aggregate has dead letters. */
  get isAnyBlocked(): boolean {
    return this.#blocked.size > 0;
  }

  block({ orgid, subject }: ReceivedEvent): void {
    this.#blocked.add(keyOf(orgid, subject));
  }

  release(org_id: string, aggregate_id: string): void {
    this.#blocked.delete(keyOf(org_id, aggregate_id));
  }

  noteSlow({ orgid }: ReceivedEvent): void {
    this.#slow.set(orgid, Date.now() + SLOW_MS);
  }

  /** What can be applied, and what becomes a dead letter: for its own reason, or for `blame`, which holds for all. */
  sort(
    entries: readonly LogEntry[],
    blame: Obstacle | undefined,
  ): { fresh: ReceivedEvent[]; dead: [LogEntry, Obstacle][] } {
    const fresh: ReceivedEvent[] = [];
    const dead: [LogEntry, Obstacle][] = [];
    // A later event of an aggregate that gets its first dead letter right now has to wait, too.
    const blockedNow = new Set<string>();
    for (const entry of entries) {
      const { event } = entry;
      if (event === undefined) continue;
      const key = keyOf(event.orgid, event.subject);
      const why = blame ?? this.#obstacleTo(event, key, entry.unknown) ?? (blockedNow.has(key) ? BEHIND : undefined);
      if (why === undefined) fresh.push(event);
      else {
        dead.push([entry, why]);
        blockedNow.add(key);
      }
    }
    return { fresh, dead };
  }

  #obstacleTo({ orgid }: ReceivedEvent, key: string, unknown: string | undefined): Obstacle | undefined {
    if (unknown !== undefined) return { reason: unknown, tries: MAX_TRIES };
    if (this.#blocked.has(key)) return BEHIND;
    return (this.#slow.get(orgid) ?? 0) > Date.now() ? SLOW : undefined;
  }
}
