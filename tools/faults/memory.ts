import { readFileSync } from 'node:fs';
import type { System } from './system.ts';

/** What a process holds of the machine's memory, in MiB; `undefined` where the system does not tell. */
const residentOf = (pid: number): number | undefined => {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : Number(kib) / 1_024;
  } catch {
    return undefined;
  }
};

/** What was held at some moments, by instance. */
export type Samples = Map<string, number[]>;

export const sample = ({ instances }: System, into: Samples): void => {
  for (const one of instances) {
    const mib = residentOf(one.pid() ?? 0);
    if (mib === undefined) continue;
    const seen = into.get(one.name);
    if (seen === undefined) into.set(one.name, [mib]);
    else seen.push(mib);
  }
};

/** Memory goes up until a garbage collector has tidied up: the least that was seen is what a process needs. */
export const least = (values: readonly number[]): number =>
  values.reduce((one, other) => Math.min(one, other), Infinity);
