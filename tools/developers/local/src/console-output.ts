import { styleText } from 'node:util';
import type { Step } from './stack.ts';

const isTerminal = process.stdout.isTTY;

/** A line to the person at the terminal; colours only where they are shown. */
export const printLine = (line: string): void => console.log(line);

/** Prints a remark on stderr, also without a terminal. */
export const printNote = (line: string): void =>
  console.error(styleText('yellow', `! ${line}`, { stream: process.stderr }));

/** Names a step and how long it took; silent when the output is not a terminal. */
export const step: Step = async (title, work) => {
  const since = performance.now();
  const result = await work();
  const took = Math.round(performance.now() - since);
  if (isTerminal) printLine(`${styleText('green', '✔')} ${title} ${styleText('dim', `${took} ms`)}`);
  return result;
};
