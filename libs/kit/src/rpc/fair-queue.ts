/** A call that waits for a slot. */
export interface QueuedCall {
  /** Whether it has waited too long at this time (milliseconds of `performance.now()`). A late call is refused. */
  isLate(now: number): boolean;
  begin(): void;
  /** Called when the queue is full, or when the call is late. */
  refuse(): void;
}

/** The running and queued calls of one organization. */
interface OrganizationQueue {
  running: number;
  waiting: QueuedCall[];
}

const SWEEP_MS = 50;

/**
 * A fair queue for a number of slots: each organization has its own queue, and the queues are served in turn (round
 * robin). An organization gets at most half of the slots while others have calls. A lone organization leaves an eighth
 * of the slots free, so that the first call of another one finds a slot, however long the running calls take.
 */
export class FairQueue {
  readonly #slots: number;
  readonly #capacity: number;
  readonly #queues = new Map<string, OrganizationQueue>();
  #running = 0;
  #waiting = 0;
  #sweep: NodeJS.Timeout | undefined;

  /** `capacity`: how many calls may wait. */
  constructor(slots: number, capacity: number) {
    this.#slots = slots;
    this.#capacity = capacity;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Begins the call at once if a slot is free for its organization, else queues it. `release` gives the slot back. */
  enter(org: string, call: QueuedCall): void {
    const queue = this.#queueOf(org);
    if (queue.waiting.length === 0 && this.#running < this.#slots && queue.running < this.#share()) {
      this.#start(queue, call);
      return;
    }
    if (this.#waiting >= this.#capacity && !this.#refuseFromLongest(queue)) {
      this.#forget(org, queue);
      call.refuse();
      return;
    }
    queue.waiting.push(call);
    this.#countWaiting();
  }

  /** Queues a call again that gave its slot back for a while: first in its organization, and beyond the capacity. */
  reenter(org: string, call: QueuedCall): void {
    this.#queueOf(org).waiting.unshift(call);
    this.#countWaiting();
    this.#serve();
  }

  release(org: string): void {
    const queue = this.#queueOf(org);
    queue.running -= 1;
    this.#running -= 1;
    if (queue.waiting.length > 0) this.#moveLast(org, queue);
    this.#forget(org, queue);
    if (this.#waiting > 0) this.#serve();
  }

  #queueOf(org: string): OrganizationQueue {
    const known = this.#queues.get(org);
    if (known !== undefined) return known;
    const queue: OrganizationQueue = { running: 0, waiting: [] };
    this.#queues.set(org, queue);
    return queue;
  }

  #forget(org: string, queue: OrganizationQueue): void {
    if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(org);
  }

  #share(): number {
    if (this.#queues.size > 1) return Math.ceil(this.#slots / 2);
    return this.#slots - Math.floor((this.#slots + 6) / 8);
  }

  /** Moves the queue behind those of all other organizations. */
  #moveLast(org: string, queue: OrganizationQueue): void {
    this.#queues.delete(org);
    this.#queues.set(org, queue);
  }

  #start(queue: OrganizationQueue, call: QueuedCall): void {
    queue.running += 1;
    this.#running += 1;
    call.begin();
  }

  #countWaiting(): void {
    this.#waiting += 1;
    this.#sweep ??= setInterval(() => this.#refuseLate(), SWEEP_MS);
  }

  #serve(): void {
    const now = performance.now();
    while (this.#running < this.#slots) {
      const next = this.#next();
      if (next === undefined) break;
      const [org, queue] = next;
      const call = queue.waiting.shift();
      this.#waiting -= 1;
      this.#moveLast(org, queue);
      if (call?.isLate(now) === true) {
        call.refuse();
        this.#forget(org, queue);
      } else if (call !== undefined) this.#start(queue, call);
    }
    this.#stopSweepIfIdle();
  }

  #next(): [string, OrganizationQueue] | undefined {
    const share = this.#share();
    for (const entry of this.#queues) if (entry[1].waiting.length > 0 && entry[1].running < share) return entry;
    return undefined;
  }

  /** Refuses the last call of the longest queue. False if that is the queue of the new call. */
  #refuseFromLongest(own: OrganizationQueue): boolean {
    const longest = [...this.#queues.values()].reduce((one, other) =>
      other.waiting.length > one.waiting.length ? other : one,
    );
    if (longest.waiting.length <= own.waiting.length + 1) return false;
    this.#waiting -= 1;
    longest.waiting.pop()?.refuse();
    return true;
  }

  #refuseLate(): void {
    const now = performance.now();
    for (const [org, queue] of this.#queues) {
      const late = queue.waiting.filter((call) => call.isLate(now));
      if (late.length === 0) continue;
      queue.waiting = queue.waiting.filter((call) => !late.includes(call));
      this.#waiting -= late.length;
      for (const call of late) call.refuse();
      this.#forget(org, queue);
    }
    this.#stopSweepIfIdle();
  }

  #stopSweepIfIdle(): void {
    if (this.#waiting > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
