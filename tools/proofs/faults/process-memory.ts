import { signal } from '../system/process-family.ts';
import type { System } from '../system/start-system.ts';
import type { Instance } from '../system/instance.ts';

const HEAP_REPORT = new URL('heap-report.ts', import.meta.url).href;
/** Environment for a system whose processes print a heap report on request. */
export const WITH_HEAP_REPORT = { NODE_OPTIONS: `--import=${HEAP_REPORT}` };

/** Asks every process to collect garbage and to print its memory. */
export const requestHeapReports = ({ instances }: System): void => {
  for (const one of instances) {
    const pid = one.pid();
    if (pid !== undefined) signal(pid, 'SIGUSR2');
  }
};

/** Memory in MiB after a full garbage collection. */
export interface Memory {
  /** Reachable objects, in the heap and outside it. */
  needed: number;
  /** Other memory of the process: code, stacks and buffers of libraries. */
  native: number;
}

/** All heap reports that an instance has printed. */
export const memoryOf = (instance: Instance): Memory[] =>
  [...instance.logSinceStart().matchAll(/^memory: ([\d.]+) needed, (-?[\d.]+) native$/gm)].map(
    ([, needed, native]) => ({
      needed: Number(needed),
      native: Number(native),
    }),
  );
