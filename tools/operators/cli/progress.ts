import { SingleBar } from 'cli-progress';

/** Progress that is shown on a terminal only. */
export interface Progress {
  show: (done: number, of: number) => void;
  end: () => void;
}

const NO_PROGRESS: Progress = { show: () => undefined, end: () => undefined };

/** `what` names the counted items. The bar is on stderr, because stdout is for the answer. */
export const startProgress = (title: string, what: string): Progress => {
  if (!process.stderr.isTTY) return NO_PROGRESS;
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage}% | {value} of {total} ${what} | {eta_formatted} left`,
    stream: process.stderr,
    barsize: 30,
    clearOnComplete: true,
    hideCursor: true,
    // Ctrl-C is handled by the command.
    gracefulExit: false,
  });
  bar.start(1, 0);
  return {
    show: (done, of) => {
      bar.setTotal(Math.max(1, of));
      bar.update(done);
    },
    end: () => bar.stop(),
  };
};
