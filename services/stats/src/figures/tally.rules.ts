import { DENSE_SERIES, type Slice, type StatsRange } from '../range/range.rules.ts';

/** Counts by name; hours are whole hundredths. */
export type Tally<K extends string> = Record<K, number>;

/** A row of sums as Postgres answers it: of one class (or none) in one slice of the range, counted from 1. */
export type SumRow<K extends string> = Partial<Record<K, number>> & { clazz_id?: string | null; slice: number };

const EMPTY_ID = '';

/** Sums rows three ways at once: in total, for each class, and for each slice. */
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
      const clazz_id = row.clazz_id ?? EMPTY_ID;
      const targets = [this.total, this.slice(row.slice), ...(clazz_id === EMPTY_ID ? [] : [this.clazz(clazz_id)])];
      for (const name of this.#names) {
        const more = row[name] ?? 0;
        for (const target of targets) target[name] += more;
      }
    }
    return this;
  }

  #at<I>(map: Map<I, Tally<K>>, id: I): Tally<K> {
    let tally = map.get(id);
    if (tally === undefined) map.set(id, (tally = this.zero()));
    return tally;
  }
}

/** One row for each slice; in very long ranges only for those with something in them. */
export const seriesOf = <K extends string, R extends object>(
  range: StatsRange,
  sums: Sums<K>,
  toRow: (tally: Tally<K>) => R,
): (Slice & R)[] => {
  const { slices } = range;
  const dense = slices.length <= DENSE_SERIES;
  const nothing = sums.zero();
  return slices.flatMap((slice, index) => {
    const tally = sums.bySlice.get(index + 1);
    return tally === undefined && !dense ? [] : [{ ...slice, ...toRow(tally ?? nothing) }];
  });
};
