import { SingleBar } from 'cli-progress';

/** How far something is; shown on a terminal only. */
export interface Progress {
  show: (done: number, of: number) => void;
  end: () => void;
}

const NOBODY_LOOKS: Progress = { show: () => undefined, end: () => undefined };

/** `what`: what is counted, in words behind the numbers. The bar is on stderr: stdout is for the answer. */
export const startProgress = (title: string, what: string): Progress => {
  if (!process.stderr.isTTY) return NOBODY_LOOKS;
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage}% | {value} of {total} ${what} | {eta_formatted} left`,
    stream: process.stderr,
    barsize: 30,
    clearOnComplete: true,
    hideCursor: true,
    // Ctrl-C is for whoever does the work.
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
