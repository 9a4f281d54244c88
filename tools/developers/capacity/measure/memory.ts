import { readFileSync } from 'node:fs';
import { nameOf } from '../../bench/measure/by-process.ts';
import { currentTree } from '../../bench/measure/cpu.ts';
import { commandOf } from '../../bench/system/command.ts';
import type { Figures } from '../figures.ts';
import { partOf } from './parts.ts';

/** Bytes in KiB that are a process's own, shared ones not counted. */
const ownKb = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return [...text.matchAll(/^Private_\w+:\s+(?<kb>\d+) kB$/gm)].reduce(
    (sum, { groups }) => sum + Number(groups?.['kb']),
    0,
  );
};

const kindOf = (name: string): keyof Figures['memory_mb'] | undefined => {
  const part = partOf(name);
  if (part === undefined || part === 'postgres') return undefined;
  if (part === 'gateway' || part === 'broker') return part;
  return part.startsWith('postgres ') ? 'connection' : 'service';
};

/** The largest of each kind, in MiB; of connections the average. */
export const memoryOf = (roots: readonly number[]): Figures['memory_mb'] => {
  const found: Record<keyof Figures['memory_mb'], number[]> = { gateway: [], broker: [], service: [], connection: [] };
  for (const { pid } of currentTree(roots)) {
    const kind = kindOf(nameOf(commandOf(pid)));
    if (kind !== undefined) found[kind].push(ownKb(pid) / 1_024);
  }
  const { gateway, broker, service, connection } = found;
  const average = connection.reduce((sum, mb) => sum + mb, 0) / Math.max(1, connection.length);
  const round = (mb: number): number => Math.round(10 * mb) / 10;
  return {
    gateway: round(Math.max(...gateway)),
    broker: round(Math.max(...broker)),
    service: round(Math.max(...service)),
    connection: round(average),
  };
};
