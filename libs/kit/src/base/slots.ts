/** How many things may wait at once; a key is a turn of this many places and a place in it. */
const PLACES = 2 ** 20;
/** After so many turns of a place its keys come again: with `PLACES` the most that a number holds exactly. */
const TURNS = 2 ** 33;

/**
 * Things that wait for a moment, each under a key that nothing else has until its place was used `turns` times more.
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
    const turn = ((this.#turns[place] ?? 0) + 1) % this.#most;
    this.#turns[place] = turn;
    this.#things[place] = thing;
    return (turn * PLACES + place).toString(36);
  }

  get(key: string): T | undefined {
    const place = this.#placeOf(key);
    return place === undefined ? undefined : this.#things[place];
  }

  remove(key: string): void {
    const place = this.#placeOf(key);
    if (place === undefined || this.#things[place] === undefined) return;
    this.#things[place] = undefined;
    this.#free.push(place);
  }

  /** All that wait, with their keys, as they are now. */
  entries(): [key: string, thing: T][] {
    return this.#things.flatMap((thing, place): [string, T][] =>
      thing === undefined ? [] : [[((this.#turns[place] ?? 0) * PLACES + place).toString(36), thing]],
    );
  }

  /** The place that a key names; undefined when it was given to another thing since, or is no key. */
  #placeOf(key: string): number | undefined {
    const number = Number.parseInt(key, 36);
    const place = number % PLACES;
    return this.#turns[place] === (number - place) / PLACES ? place : undefined;
  }
}
