/** Used units return in steps: this many steps per window. */
const STEPS = 30;

/** The length of a window, and the precision of the time when a unit was used. */
export interface Window {
  window_ms: number;
  step_ms: number;
}

export const windowOf = (window_ms: number): Window => ({ window_ms, step_ms: window_ms / STEPS });

/**
 * The units of one key used from this gateway's share. A unit returns when a whole window has passed since its use, at
 * most one step later. So no unit is used twice in any window.
 */
export class Usage {
  /** Used units that have not returned. */
  used = 0;
  /** The times at which units return, in order; `#units` holds the number of units of each. */
  readonly #returns: number[] = [];
  readonly #units: number[] = [];
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
  }

  use(units: number, now: number): void {
    const { window_ms, step_ms } = this.#window;
    const at = (Math.floor(now / step_ms) + 1) * step_ms + window_ms;
    this.used += units;
    let place = this.#returns.length;
    while (place > 0 && (this.#returns[place - 1] ?? 0) > at) place -= 1;
    if (this.#returns[place - 1] === at) this.#units[place - 1] = (this.#units[place - 1] ?? 0) + units;
    else {
      this.#returns.splice(place, 0, at);
      this.#units.splice(place, 0, units);
    }
  }

  /** Gives units back that must not count; the latest first. */
  undo(units: number): void {
    const last = this.#units.length - 1;
    if (last < 0) return;
    const undone = Math.min(units, this.#units[last] ?? 0);
    this.used -= undone;
    const rest = (this.#units[last] ?? 0) - undone;
    this.#units[last] = rest;
    if (rest > 0) return;
    this.#units.pop();
    this.#returns.pop();
  }

  /** Returns the units that were used at least a window ago. */
  refresh(now: number): void {
    let back = 0;
    for (const at of this.#returns) {
      if (at > now) break;
      this.used -= this.#units[back] ?? 0;
      back += 1;
    }
    if (back === 0) return;
    this.#returns.splice(0, back);
    this.#units.splice(0, back);
  }

  /** The time when this many units have returned; `undefined` when fewer are in use. */
  returnTime(units: number): number | undefined {
    let sum = 0;
    for (const [n, at] of this.#returns.entries()) {
      sum += this.#units[n] ?? 0;
      if (sum >= units) return at;
    }
    return undefined;
  }
}
