import { z } from 'zod';
import { logOutput } from '../../../libs/kit/src/telemetry/log-output.ts';

/** One line of a service's log. */
const LogLine = z.looseObject({
  level: z.string(),
  service: z.string(),
  msg: z.string().default(''),
  request_id: z.string().optional(),
  trace_id: z.string().optional(),
  err: z.looseObject({ stack: z.string() }).optional(),
});
export type LogLine = z.output<typeof LogLine>;

/** Number of lines that are kept, the newest. A fault repeats lines, and the last ones explain most. */
const MAX_LINES = 5_000;
const lines: LogLine[] = [];
let written = 0;
let listener: (text: string) => void = () => {};
/** Calls `hear` with the text of every line from now on. */
export const onLogLine = (listen: (text: string) => void): void => {
  listener = listen;
};

const record = (text: string): void => {
  if (process.env['LOG_LEVEL'] !== undefined) process.stdout.write(text);
  listener(text);
  lines.push(LogLine.parse(JSON.parse(text)));
  written += 1;
  if (lines.length > MAX_LINES) lines.shift();
};

// Services in the process of the test log here. With LOG_LEVEL set, the lines are also printed to stdout.
logOutput.write = record;

const NOISE = new Set(['level', 'time', 'name', 'service', 'msg', 'err', 'request_id', 'trace_id', 'span_id']);

const FOREIGN = /^ +at .*(node_modules|node:internal|<anonymous>)/;

/** Formats a line for a person: service, level, message, fields, and the frames of an error in our sources. */
export const formatLine = (line: LogLine): string => {
  const rest = Object.fromEntries(Object.entries(line).filter(([key]) => !NOISE.has(key)));
  const fields = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  const head = `${line.service} ${line.level}: ${line.msg}${fields}`;
  const stack = line.err?.stack.split('\n').filter((frame) => !FOREIGN.test(frame)) ?? [];
  return [head, ...stack.map((frame) => `    ${frame}`)].join('\n');
};

/** The log lines of services and gateway so far, the newest last. */
export const logLines = (): readonly LogLine[] => lines;

const shown = new WeakSet<LogLine>();
/** The lines about one request. Marks them as shown. Without tracing, the trace id is the request id. */
export const linesAbout = (request_id: string): LogLine[] => {
  const trace_id = request_id.replaceAll('-', '');
  const matching = lines.filter((line) => line.request_id === request_id || line.trace_id === trace_id);
  for (const line of matching) shown.add(line);
  return matching;
};

/** Removes all lines, so that a test file does not see those of another. */
export const clearLines = (): void => {
  lines.length = 0;
  listener = () => {};
};

/** The number of lines so far, for a later call of `linesSince`. */
export const lineCount = (): number => written;

/** The lines since then that were not shown with a request, for example those of background work. */
export const linesSince = (before: number): LogLine[] =>
  lines.slice(lines.length - Math.min(written - before, lines.length)).filter((line) => !shown.has(line));
