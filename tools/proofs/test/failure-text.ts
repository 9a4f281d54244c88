import type { Answer } from './http.ts';
import { linesAbout, shownLine } from './log-lines.ts';

const LONGEST = 2_000;

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
};

const shown = (value: unknown): string => {
  const text = textOf(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length} characters)` : text;
};

const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

/** What was sent, what came back, why that is not what the test expected, and what the services said meanwhile. */
export const failureText = ({ asked, status, headers, body }: Answer, why: string): string => {
  const said = linesAbout(headers.get('x-request-id') ?? '').map(shownLine);
  return [
    `${asked.method} ${asked.path} answered ${status}; ${why}`,
    ...(asked.body === undefined ? [] : [`  sent: ${shown(asked.body)}`]),
    `  answer: ${shown(body)}`,
    ...(said.length === 0 ? [] : ['  the services said:', ...said.map(indented)]),
  ].join('\n');
};

/** Frames of these helpers are removed, so that the stack begins with the line of the test. */
const HELPERS = /tools\/proofs\/test\/(expect-answers|calls|failure-text)\.ts:/;

/** An error for later that points to the line of the test that is running now. */
export const failureHere = (): ((message: string) => Error) => {
  const error = new Error();
  const frames = error.stack?.split('\n').slice(1) ?? [];
  return (message) => {
    error.message = message;
    error.stack = [`Error: ${message}`, ...frames.filter((frame) => !HELPERS.test(frame))].join('\n');
    return error;
  };
};
