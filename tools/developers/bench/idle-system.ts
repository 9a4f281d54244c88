import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { byPart, type ByProcess, commandOf, currentTree, nameOf, since, usedBy } from './cpu.ts';
import type { IdleMeasurement } from './report.ts';
import type { System } from './system.ts';

/** Milliseconds after a start until one-time work is done. */
const SETTLES_S = 10;

/** In MiB. A process that ended meanwhile has none. */
const memoryOf = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss: +(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
};

const memoryBelow = (root: number): ByProcess => {
  const sums: ByProcess = new Map();
  for (const { pid } of currentTree([root])) {
    const name = nameOf(commandOf(pid));
    sums.set(name, (sums.get(name) ?? 0) + memoryOf(pid));
  }
  return sums;
};

/** Starts a system again and measures it for so many seconds while it is idle. */
export const measureIdle = async (system: System, seconds: number): Promise<IdleMeasurement> => {
  const againMs = await system.restart();
  await sleep(SETTLES_S * 1_000);
  const before = usedBy([system.root()]);
  await sleep(seconds * 1_000);
  const used = since(before, usedBy([system.root()]));
  const idle = byPart(new Map([...used].map(([name, us]) => [name, us / 1_000 / seconds])));
  return { contender: system.name, firstMs: system.firstMs, againMs, idle, memory: byPart(memoryBelow(system.root())) };
};
