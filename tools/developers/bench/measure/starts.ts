import { readFileSync } from 'node:fs';
import { commandOf } from '../system/command.ts';
import { type ByProcess, byPart, nameOf, type Part } from './by-process.ts';
import { currentTree } from './cpu.ts';
import type { Measuring } from './loads.ts';
import { quiet } from './slices.ts';

/** What it takes to be there, doing nothing. */
export interface Start {
  contender: string;
  /** Until requests are taken, with a new database, its tables, passwords and keys; in milliseconds. */
  firstMs: number;
  /** The same on data that is there and with a database that runs, the median. */
  againMs: number;
  /** In MiB, by what the processes are; what several share is divided among them. */
  memory: Record<Part, number>;
}

/** In MiB. One that ended meanwhile has none. */
const memoryOf = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss: +(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
};

const memoryBelow = (roots: readonly number[]): Record<Part, number> => {
  const sums: ByProcess = new Map();
  for (const { pid } of currentTree(roots)) {
    const name = nameOf(commandOf(pid));
    sums.set(name, (sums.get(name) ?? 0) + memoryOf(pid));
  }
  return byPart(sums);
};

/** Starts each system several times, one after the other. */
export const measureStarts = async ({ sites, pace, progress, results }: Measuring): Promise<void> => {
  for (const { system } of sites) {
    progress.say(`start, ${system.name}`);
    const again: number[] = [];
    for (let round = 0; round < pace.starts; round += 1) {
      again.push(await system.restart([]));
      await quiet(system.roots());
      progress.sliceDone();
    }
    const sorted = again.toSorted((a, b) => a - b);
    results.starts.push({
      contender: system.name,
      firstMs: system.firstMs,
      againMs: sorted[Math.floor(pace.starts / 2)] ?? 0,
      memory: memoryBelow(system.roots()),
    });
  }
};
