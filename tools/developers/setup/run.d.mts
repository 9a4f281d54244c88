import type { SpawnOptions } from 'node:child_process';

/** Runs a program; shows its output only when it fails, unless `visible`. Resolves with what it said. */
export declare const run: (
  program: string,
  args: readonly string[],
  options?: SpawnOptions & { visible?: boolean },
) => Promise<string>;
