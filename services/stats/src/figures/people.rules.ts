import type { SumRow } from './tally.rules.ts';

/** Slices of a range that follow each other, counted from 1: from the first up to the one after the last. */
type Run = readonly [from: number, to: number];

/** Some people of a class, and when in the range they belonged to lessons there. */
export interface Group {
  clazz_id: string;
  student_ids: readonly string[];
  runs: readonly Run[];
}

/** The runs of an `int4multirange` as Postgres writes it. */
export const runsOf = (multirange: string): Run[] =>
  [...multirange.matchAll(/(\d+),(\d+)/g)].map(([, from, to]) => [Number(from), Number(to)]);

/** Each slice once, whichever classes it comes from. */
const together = (runs: readonly Run[]): readonly Run[] => {
  if (runs.length < 2) return runs;
  const merged: [from: number, to: number][] = [];
  for (const [from, to] of runs.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last === undefined || last[1] < from) merged.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return merged;
};

/** How many there are in each slice, by who comes and who goes from one to the next. */
const perSlice = (people: Iterable<readonly Run[]>): SumRow<'students'>[] => {
  const changes = new Map<number, number>();
  const change = (slice: number, by: number): void => void changes.set(slice, (changes.get(slice) ?? 0) + by);
  for (const runs of people) {
    for (const [from, to] of together(runs)) {
      change(from, 1);
      change(to, -1);
    }
  }
  const rows: SumRow<'students'>[] = [];
  const slices = [...changes.keys()].toSorted((a, b) => a - b);
  for (let [index, there] = [0, 0]; index < slices.length; index += 1) {
    const from = slices[index] ?? 0;
    there += changes.get(from) ?? 0;
    for (let slice = from; slice < (slices[index + 1] ?? from); slice += 1) rows.push({ slice, students: there });
  }
  return rows;
};

/** How many different people there are: in total, of each class, and in each slice. */
export const countPeople = (groups: readonly Group[]): SumRow<'students'>[] => {
  const ofClazz = new Map<string, Set<string>>();
  const whenOf = new Map<string, readonly Run[]>();
  for (const { clazz_id, student_ids, runs } of groups) {
    const clazz = ofClazz.get(clazz_id) ?? new Set();
    ofClazz.set(clazz_id, clazz);
    for (const id of student_ids) {
      clazz.add(id);
      const before = whenOf.get(id);
      whenOf.set(id, before === undefined ? runs : [...before, ...runs]);
    }
  }
  const clazzes = [...ofClazz].map(([clazz_id, { size }]) => ({ clazz_id, students: size }));
  return [{ students: whenOf.size }, ...clazzes, ...perSlice(whenOf.values())];
};
