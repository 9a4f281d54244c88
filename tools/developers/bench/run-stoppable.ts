import { printNote } from '@teaching/local/console-output.ts';
import { undoList } from '@teaching/local/undo-list.ts';

/** The terminal and npm may both hand on one and the same Ctrl-C. */
const SAME_PRESS_MS = 300;

/** Undo actions, run when the run is over, fails or is interrupted. */
export const undo = undoList();

let stoppingSince: number | undefined;

/** Stops everything that was started, once. */
const stop = async (exitCode: number): Promise<void> => {
  if (stoppingSince !== undefined) return;
  stoppingSince = Date.now();
  await undo.run();
  process.exit(exitCode);
};

/** After a second Ctrl-C the process exits at once; its children notice and end too. */
const interrupted = (): void => {
  if (stoppingSince !== undefined && Date.now() - stoppingSince > SAME_PRESS_MS) process.exit(130);
  void stop(130);
};

/** Runs to the end of the process. Exit code: 0 done, 1 it failed, 2 the options are wrong (`TypeError`), 130 interrupted. */
export const runStoppable = async (run: () => Promise<void>): Promise<void> => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
  await run().then(
    () => stop(0),
    (error: unknown) => {
      if (stoppingSince === undefined) printNote(error instanceof Error ? error.message : String(error));
      return stop(error instanceof TypeError ? 2 : 1);
    },
  );
};
