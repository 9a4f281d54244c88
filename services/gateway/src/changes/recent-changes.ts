import { randomBytes } from 'node:crypto';
import type { Hint } from '@teaching/contracts';

/** Number of changes kept for pages that reconnect. */
const KEPT = 1_000;
export const RETENTION_MS = 300_000;

interface Kept {
  hint: Hint;
  at_ms: number;
  /** The bytes of the change for readers of everything, once such a reader needs them. */
  event?: Buffer;
}

/**
 * The latest changes of one organization, numbered from 1. A number is valid only together with the name of its list.
 */
export class RecentChanges {
  readonly #name = randomBytes(8).toString('hex');
  readonly #kept = new Map<number, Kept>();
  #last = 0;
  #alive: { no: number; event: Buffer } | undefined;

  /** The number of the newest change. */
  get last(): number {
    return this.#last;
  }

  add(hint: Hint, now_ms: number): void {
    this.#last += 1;
    this.#kept.set(this.#last, { hint, at_ms: now_ms });
    for (const [no, { at_ms }] of this.#kept) {
      if (this.#kept.size <= KEPT && now_ms - at_ms <= RETENTION_MS) break;
      this.#kept.delete(no);
    }
  }

  /** The change with this number; undefined when it is no longer kept. */
  get(no: number): Hint | undefined {
    return this.#kept.get(no)?.hint;
  }

  /** The event of a kept change, made once for all readers that receive the same. `make` gets its id. */
  changeEvent(no: number, make: (id: string) => string): Buffer {
    const kept = this.#kept.get(no);
    if (kept === undefined) return Buffer.from(make(this.idOf(no)));
    return (kept.event ??= Buffer.from(make(this.idOf(no))));
  }

  /** The event for readers that have everything up to this number, made once for all of them. `make` gets its id. */
  aliveEvent(no: number, make: (id: string) => string): Buffer {
    if (this.#alive?.no !== no) this.#alive = { no, event: Buffer.from(make(this.idOf(no))) };
    return this.#alive.event;
  }

  /** The id that a browser sends back in `Last-Event-ID`. */
  idOf(no: number): string {
    return `${this.#name}-${no}`;
  }

  /** The number of an id; undefined for an id of another list, or when not all later changes are kept. */
  numberOf(id: string): number | undefined {
    const [, name, digits = ''] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id) ?? [];
    const no = Number(digits);
    if (name !== this.#name || no > this.#last) return undefined;
    return no === this.#last || this.#kept.has(no + 1) ? no : undefined;
  }
}
