/** A call that waits for a slot. */
export interface QueuedCall {
  /** Whether it waited too long at this time (epoch milliseconds): then it is refused. */
  isLate(now: number): boolean;
  begin(): void;
  /** Called when too many wait, or when it is late. */
  refuse(): void;
}

/** The calls of one organization. */
interface Line {
  running: number;
  waiting: QueuedCall[];
}

const SWEEP_MS = 50;

/**
 * Turns on a number of slots, fairly between organizations: each has its own line, and the lines are served in
 * turn. One organization gets at most half of the slots while others are there. Alone it leaves an eighth free, so
 * that the first call of another one finds a slot however long those under way take.
 */
export class FairQueue {
  readonly #slots: number;
  readonly #room: number;
  readonly #lines = new Map<string, Line>();
  #running = 0;
  #waiting = 0;
  #sweep: NodeJS.Timeout | undefined;

  /** `room`: the most calls that wait. */
  constructor(slots: number, room: number) {
    this.#slots = slots;
    this.#room = room;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Begins at once if a slot is free for this organization, else when it is its turn. `leave` gives the slot back. */
  enter(org: string, turn: QueuedCall): void {
    const line = this.#lineOf(org);
    if (line.waiting.length === 0 && this.#running < this.#slots && line.running < this.#share()) {
      this.#start(line, turn);
      return;
    }
    if (this.#waiting >= this.#room && !this.#makeRoom(line)) {
      this.#forget(org, line);
      turn.refuse();
      return;
    }
    line.waiting.push(turn);
    this.#waits();
  }

  /** Takes back a slot that was left for a while: before all others of the organization, whether there is room or not. */
  enterAgain(org: string, turn: QueuedCall): void {
    this.#lineOf(org).waiting.unshift(turn);
    this.#waits();
    this.#serve();
  }

  leave(org: string): void {
    const line = this.#lineOf(org);
    line.running -= 1;
    this.#running -= 1;
    if (line.waiting.length > 0) this.#putLast(org, line);
    this.#forget(org, line);
    if (this.#waiting > 0) this.#serve();
  }

  #lineOf(org: string): Line {
    const known = this.#lines.get(org);
    if (known !== undefined) return known;
    const line: Line = { running: 0, waiting: [] };
    this.#lines.set(org, line);
    return line;
  }

  #forget(org: string, line: Line): void {
    if (line.running === 0 && line.waiting.length === 0) this.#lines.delete(org);
  }

  #share(): number {
    if (this.#lines.size > 1) return Math.ceil(this.#slots / 2);
    return this.#slots - Math.floor((this.#slots + 6) / 8);
  }

  /** Puts its line behind the lines of all other organizations. */
  #putLast(org: string, line: Line): void {
    this.#lines.delete(org);
    this.#lines.set(org, line);
  }

  #start(line: Line, turn: QueuedCall): void {
    line.running += 1;
    this.#running += 1;
    turn.begin();
  }

  #waits(): void {
    this.#waiting += 1;
    this.#sweep ??= setInterval(() => this.#refuseLate(), SWEEP_MS);
  }

  #serve(): void {
    const now = Date.now();
    while (this.#running < this.#slots) {
      const next = this.#next();
      if (next === undefined) break;
      const [org, line] = next;
      const turn = line.waiting.shift();
      this.#waiting -= 1;
      this.#putLast(org, line);
      if (turn?.isLate(now) === true) {
        turn.refuse();
        this.#forget(org, line);
      } else if (turn !== undefined) this.#start(line, turn);
    }
    this.#rest();
  }

  #next(): [string, Line] | undefined {
    const share = this.#share();
    for (const entry of this.#lines) if (entry[1].waiting.length > 0 && entry[1].running < share) return entry;
    return undefined;
  }

  /** The organization with the longest line loses its last call, unless that is the one that asks. */
  #makeRoom(asking: Line): boolean {
    const longest = [...this.#lines.values()].reduce((one, other) =>
      other.waiting.length > one.waiting.length ? other : one,
    );
    if (longest.waiting.length <= asking.waiting.length + 1) return false;
    this.#waiting -= 1;
    longest.waiting.pop()?.refuse();
    return true;
  }

  #refuseLate(): void {
    const now = Date.now();
    for (const [org, line] of this.#lines) {
      const late = line.waiting.filter((turn) => turn.isLate(now));
      if (late.length === 0) continue;
      line.waiting = line.waiting.filter((turn) => !late.includes(turn));
      this.#waiting -= late.length;
      for (const turn of late) turn.refuse();
      this.#forget(org, line);
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#waiting > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
