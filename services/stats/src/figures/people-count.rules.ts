import type { SumRow } from './tally.rules.ts';

/** Consecutive slices of a range, numbered from 1: from the first, to the slice after the last. */
type Run = readonly [from: number, to: number];

/** People of a class, and the slices of the range in which they belonged to its lessons. */
export interface PeopleGroup {
  clazz_id: string;
  student_ids: readonly string[];
  runs: readonly Run[];
}

/** The runs of an `int4multirange` as Postgres writes it. */
export const runsOf = (multirange: string): Run[] =>
  [...multirange.matchAll(/(\d+),(\d+)/g)].map(([, from, to]) => [Number(from), Number(to)]);

/** The union of the runs: each slice once, in order. */
const mergeRuns = (runs: readonly Run[]): readonly Run[] => {
  if (runs.length < 2) return runs;
  const merged: [from: number, to: number][] = [];
  for (const [from, to] of runs.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last === undefined || last[1] < from) merged.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return merged;
};

/** The number of people in each slice, computed from the changes between neighbouring slices. */
const countBySlice = (people: Iterable<readonly Run[]>): SumRow<'students'>[] => {
  const changes = new Map<number, number>();
  const addChange = (slice: number, by: number): void => void changes.set(slice, (changes.get(slice) ?? 0) + by);
  for (const runs of people) {
    for (const [from, to] of mergeRuns(runs)) {
      addChange(from, 1);
      addChange(to, -1);
    }
  }
  const rows: SumRow<'students'>[] = [];
  const slices = [...changes.keys()].toSorted((a, b) => a - b);
  for (let [index, students] = [0, 0]; index < slices.length; index += 1) {
    const from = slices[index] ?? 0;
    students += changes.get(from) ?? 0;
    for (let slice = from; slice < (slices[index + 1] ?? from); slice += 1) rows.push({ slice, students });
  }
  return rows;
};

/** The number of distinct people: in total, in each class and in each slice. */
export const countPeople = (groups: readonly PeopleGroup[]): SumRow<'students'>[] => {
  const ofClazz = new Map<string, Set<string>>();
  const runsByStudent = new Map<string, readonly Run[]>();
  for (const { clazz_id, student_ids, runs } of groups) {
    const clazz = ofClazz.get(clazz_id) ?? new Set();
    ofClazz.set(clazz_id, clazz);
    for (const id of student_ids) {
      clazz.add(id);
      const before = runsByStudent.get(id);
      runsByStudent.set(id, before === undefined ? runs : [...before, ...runs]);
    }
  }
  const clazzes = [...ofClazz].map(([clazz_id, { size }]) => ({ clazz_id, students: size }));
  return [{ students: runsByStudent.size }, ...clazzes, ...countBySlice(runsByStudent.values())];
};
