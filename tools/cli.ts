import { tolerateOutputErrors } from '../libs/kit/src/telemetry/output-errors.ts';
import { COMMANDS } from './operators/cli/commands/index.ts';
import { EXIT } from './operators/cli/exit.ts';
import { runCli } from './operators/cli/run-cli.ts';

/** The terminal and npm may both hand on one and the same Ctrl-C. */
const SAME_PRESS_MS = 300;

const onInterrupt = (interrupt: () => void): void => {
  let last = -Infinity;
  const heard = (): void => {
    const isNew = performance.now() - last > SAME_PRESS_MS;
    last = performance.now();
    if (isNew) interrupt();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, heard);
};

/** A command is not interrupted because of its output, but fails. A reader that closes the pipe, as head, has enough. */
let lostOutput: string | undefined;
tolerateOutputErrors(({ code, message }) => {
  if (code !== 'EPIPE') lostOutput = message;
});
process.on('exit', (code) => {
  if (lostOutput === undefined || code !== EXIT.done) return;
  console.error(`the output is incomplete: ${lostOutput}`);
  process.exitCode = EXIT.failed;
});

process.exitCode = await runCli(COMMANDS, process.argv.slice(2), {
  env: process.env,
  print: (text) => console.log(text),
  note: (text) => console.error(text),
  onInterrupt,
  exit: (code) => process.exit(code),
});
