/** How many things may wait at once; a key is a turn of this many places and a place in it. */
const PLACES = 2 ** 20;
/** After so many turns of a place its keys come again: with `PLACES` the most that a number holds exactly. */
const TURNS = 2 ** 33;

/**
 * Things that wait for a moment, each under a key of its own. What is removed leaves a key that nothing else gets until its
 * place had `turns` more; what is over, with all that could come for it, leaves its key to the next one.
 * Places are used again, so that thousands of things a second come and go in memory that stays. (A `Map` with such a
 * traffic leaves behind one grown-old table after the other, each of which keeps what it held, and the next table, from
 * being collected as young.)
 */
export class Slots<T> {
  readonly #things: (T | undefined)[] = [];
  readonly #turns: number[] = [];
  readonly #free: number[] = [];
  readonly #most: number;

  constructor(turns: number = TURNS) {
    this.#most = turns;
  }

  /** Keeps a thing; its key is a token of a subject. */
  put(thing: T): string {
    const place = this.#free.pop() ?? this.#things.length;
    if (place >= PLACES) throw new Error(`More than ${PLACES} things wait`);
    this.#turns[place] ??= 1;
    this.#things[place] = thing;
    return this.#keyOf(place);
  }

  get(key: string): T | undefined {
    const place = this.#placeOf(key);
    return place === undefined ? undefined : this.#things[place];
  }

  /** Something may still come for this key: it is not given again. */
  remove(key: string): void {
    const place = this.#empty(key);
    if (place !== undefined) this.#turns[place] = ((this.#turns[place] ?? 0) + 1) % this.#most;
  }

  /** Nothing comes for this key any more: it is given again. */
  end(key: string): void {
    this.#empty(key);
  }

  #empty(key: string): number | undefined {
    const place = this.#placeOf(key);
    if (place === undefined || this.#things[place] === undefined) return undefined;
    this.#things[place] = undefined;
    this.#free.push(place);
    return place;
  }

  /** All that wait, with their keys, as they are now. */
  entries(): [key: string, thing: T][] {
    return this.#things.flatMap((thing, place): [string, T][] =>
      thing === undefined ? [] : [[this.#keyOf(place), thing]],
    );
  }

  #keyOf(place: number): string {
    return ((this.#turns[place] ?? 0) * PLACES + place).toString(36);
  }

  /** The place that a key names; undefined when it was given to another thing since, or is no key. */
  #placeOf(key: string): number | undefined {
    const number = Number.parseInt(key, 36);
    const place = number % PLACES;
    return this.#turns[place] === (number - place) / PLACES ? place : undefined;
  }
}
