import { printNote } from './console-output.ts';

type Stop = () => Promise<void> | void;

/** Collects undo actions and runs them once, in the opposite order. */
export const undoList = (): { add: (stop: Stop) => void; run: () => Promise<void> } => {
  const stops: Stop[] = [];
  return {
    add: (stop) => stops.push(stop),
    run: async () => {
      for (let stop = stops.pop(); stop; stop = stops.pop()) {
        try {
          await stop();
        } catch (error) {
          printNote(`while stopping: ${String(error)}`);
        }
      }
    },
  };
};
