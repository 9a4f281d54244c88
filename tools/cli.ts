import { COMMANDS } from './operators/cli/commands/index.ts';
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

process.exitCode = await runCli(COMMANDS, process.argv.slice(2), {
  env: process.env,
  print: (text) => console.log(text),
  note: (text) => console.error(text),
  onInterrupt,
  exit: (code) => process.exit(code),
});
