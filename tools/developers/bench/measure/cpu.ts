import { readdirSync, readFileSync } from 'node:fs';
import { fieldsOfStat } from '@teaching/local/proc-stat.ts';

/** One process as Linux accounts for it, in ticks. */
export interface ProcessTimes {
  pid: number;
  parent: number;
  /** Of the process itself, all its threads. */
  own: number;
  /** Of its children that have ended and been waited for, with theirs. */
  ended: number;
}

/** Linux tells times to programs in hundredths of a second, whatever its own clock. */
export const TICK_US = 10_000;

/** Reads a `stat` file. */
export const parseStat = (text: string): ProcessTimes => {
  const fields = fieldsOfStat(text);
  const field = (n: number): number => Number(fields(n));
  return { pid: Number.parseInt(text, 10), parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
};

/** The processes below and including `roots`. */
export const treeOf = (all: readonly ProcessTimes[], roots: readonly number[]): ProcessTimes[] => {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const seen = new Set<number>(roots);
  for (const pid of seen) for (const child of children.get(pid) ?? []) seen.add(child.pid);
  return all.filter(({ pid }) => seen.has(pid));
};

/**
 * Everything the tree has used so far. A process that ends hands its times on to the one that waits for it (a
 * database connection to the postmaster), so nothing is lost and nothing counted twice.
 */
export const ticksOf = (tree: readonly ProcessTimes[]): number =>
  tree.reduce((sum, { own, ended }) => sum + own + ended, 0);

const read = (pid: string): ProcessTimes[] => {
  try {
    return [parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))];
  } catch {
    // Ended since the folder was listed.
    return [];
  }
};

const processes = (): ProcessTimes[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(read);

/** The processes below and including `roots` as they are now. */
export const currentTree = (roots: readonly number[]): ProcessTimes[] => treeOf(processes(), roots);

/** CPU time in microseconds that each group of processes has used so far, all taken at one moment. */
export const cpuOf = (groups: readonly (readonly number[])[]): number[] => {
  const all = processes();
  return groups.map((roots) => ticksOf(treeOf(all, roots)) * TICK_US);
};
