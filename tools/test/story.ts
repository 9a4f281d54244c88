import type { AnyCall } from '../../libs/contracts/src/index.ts';
import type { Answer } from './http.ts';
import { linesAbout, shownLine } from './log-lines.ts';
import { type Anything, placeOf } from './request.ts';

const LONGEST = 2_000;

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length} characters)` : text;
};

const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

/** What was sent, what came back, why that is not what the test expected, and what the services said meanwhile. */
export const story = (call: AnyCall, input: Anything, answer: Answer, why: string): string => {
  const { method, path } = placeOf(call, input);
  const said = linesAbout(answer.headers.get('x-request-id') ?? '').map(shownLine);
  return [
    `${method} ${path} answered ${answer.status}; ${why}`,
    ...(input.body === undefined ? [] : [`  sent: ${shown(input.body)}`]),
    `  answer: ${shown(answer.body)}`,
    ...(said.length === 0 ? [] : ['  the services said:', ...said.map(indented)]),
  ].join('\n');
};

/** These helpers: whoever reads a failure wants the line of the test. */
const HELPERS = /tools\/test\/(calls|story)\.ts:/;

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
