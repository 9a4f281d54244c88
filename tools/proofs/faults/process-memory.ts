import { signal } from '../system/process-family.ts';
import type { System } from '../system/start-system.ts';
import type { Instance } from '../system/instance.ts';

const WITNESS = new URL('heap-witness.ts', import.meta.url).href;
/** Every process of a system with this in its environment can be asked what it needs. */
export const WITH_HEAP_REPORT = { NODE_OPTIONS: `--import=${WITNESS}` };

/** Asks all processes to tidy up and to print what they need. */
export const requestHeapReports = ({ instances }: System): void => {
  for (const one of instances) {
    const pid = one.pid();
    if (pid !== undefined) signal(pid, 'SIGUSR2');
  }
};

/** In MiB, after all garbage was collected. */
export interface Memory {
  /** Things that are reached, in the heap and beside it. */
  needed: number;
  /** What the process holds besides: code, stacks, and whatever a library keeps to itself. */
  native: number;
}

/** What a process has said it needs, each time it was asked. */
export const memoryOf = (instance: Instance): Memory[] =>
  [...instance.said().matchAll(/^memory: ([\d.]+) needed, (-?[\d.]+) native$/gm)].map(([, needed, native]) => ({
    needed: Number(needed),
    native: Number(native),
  }));
