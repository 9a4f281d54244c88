import type { Slice, StatsRange } from '../range/range.rules.ts';

/** Counts by name. Hours are in whole hundredths. */
export type Tally<K extends string> = Record<K, number>;

/** A row of sums from Postgres: of one class, of one slice of the range (numbered from 1), or the total. */
export type SumRow<K extends string> = Partial<Record<K, number>> & { clazz_id?: string | null; slice?: number | null };

/** Sums in total, for each class, and for each slice. */
export class Sums<K extends string> {
  readonly total: Tally<K>;
  readonly byClazz = new Map<string, Tally<K>>();
  readonly bySlice = new Map<number, Tally<K>>();
  readonly #names: readonly K[];

  constructor(names: readonly K[]) {
    this.#names = names;
    this.total = this.zero();
  }

  zero(): Tally<K> {
    return Object.fromEntries(this.#names.map((name) => [name, 0])) as Tally<K>;
  }

  clazz(id: string): Tally<K> {
    return this.#at(this.byClazz, id);
  }

  slice(slice: number): Tally<K> {
    return this.#at(this.bySlice, slice);
  }

  add(rows: readonly SumRow<K>[]): this {
    for (const row of rows) {
      const target = this.#targetOf(row);
      for (const name of this.#names) target[name] += row[name] ?? 0;
    }
    return this;
  }

  #targetOf({ clazz_id, slice }: SumRow<K>): Tally<K> {
    if (typeof clazz_id === 'string') return this.clazz(clazz_id);
    return typeof slice === 'number' ? this.slice(slice) : this.total;
  }

  #at<I>(map: Map<I, Tally<K>>, id: I): Tally<K> {
    let tally = map.get(id);
    if (tally === undefined) map.set(id, (tally = this.zero()));
    return tally;
  }
}

/** One row for each slice of the range, in order. Slices without sums have zeros. */
export const seriesOf = <K extends string, R extends object>(
  range: StatsRange,
  sums: Sums<K>,
  toRow: (tally: Tally<K>) => R,
): (Slice & R)[] => {
  const nothing = sums.zero();
  return range.slices.map((slice, index) => ({ ...slice, ...toRow(sums.bySlice.get(index + 1) ?? nothing) }));
};
