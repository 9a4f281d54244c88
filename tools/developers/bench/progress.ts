import { SingleBar } from 'cli-progress';

/** How far the measurement is; a bar on a terminal, nothing elsewhere. */
export interface Progress {
  /** The current step. */
  say: (what: string) => void;
  sliceDone: () => void;
  end: () => void;
}

export const startProgress = (slices: number): Progress => {
  if (!process.stderr.isTTY) return { say: () => undefined, sliceDone: () => undefined, end: () => undefined };
  const bar = new SingleBar({
    format: '[{bar}] {percentage}% | {what}',
    stream: process.stderr,
    barsize: 30,
    clearOnComplete: true,
    hideCursor: true,
    // Ctrl-C is handled by the code that stops the systems.
    gracefulExit: false,
  });
  bar.start(slices, 0, { what: 'starting' });
  return {
    say: (what) => bar.update({ what }),
    sliceDone: () => bar.increment(),
    end: () => bar.stop(),
  };
};
