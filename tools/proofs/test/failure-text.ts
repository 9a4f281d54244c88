import type { Answer } from './http.ts';
import { linesAbout, formatLine } from './log-lines.ts';

const MAX_LENGTH = 2_000;

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
};

const shorten = (value: unknown): string => {
  const text = textOf(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} … (${text.length} characters)` : text;
};

const indented = (text: string): string => text.replaceAll(/^/gm, '    ');

/** Describes the request, the answer, the reason of the failure and the log lines of the request. */
export const failureText = ({ request, status, headers, body }: Answer, reason: string): string => {
  const lines = linesAbout(headers.get('x-request-id') ?? '').map(formatLine);
  return [
    `${request.method} ${request.path} returned ${status}; ${reason}`,
    ...(request.body === undefined ? [] : [`  sent: ${shorten(request.body)}`]),
    `  answer: ${shorten(body)}`,
    ...(lines.length === 0 ? [] : ['  log lines of the request:', ...lines.map(indented)]),
  ].join('\n');
};

/** Frames of these helpers are removed from the stack, so that it begins with the line of the test. */
const HELPERS = /tools\/proofs\/test\/(expect-answers|calls|failure-text)\.ts:/;

/** Captures the current line of the test. Returns a function that creates an error which points to it. */
export const captureFailure = (): ((message: string) => Error) => {
  const error = new Error();
  const frames = error.stack?.split('\n').slice(1) ?? [];
  return (message) => {
    error.message = message;
    error.stack = [`Error: ${message}`, ...frames.filter((frame) => !HELPERS.test(frame))].join('\n');
    return error;
  };
};
