/**
 * Lets the process continue when its output cannot be written. Without a listener the second line of `console`, with
 * which Node also prints its warnings, raises an uncaught error if it goes to a file on a full disk. Node makes a pipe
 * non-blocking when it creates the stream for it: then no write waits for its reader.
 *
 * `onLost` is called with the error of standard output, once for each failed write.
 */
export const tolerateOutputErrors = (onLost: (error: NodeJS.ErrnoException) => void = () => undefined): void => {
  process.stdout.on('error', onLost);
  process.stderr.on('error', () => undefined);
};
