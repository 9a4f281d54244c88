import { createRequire } from 'node:module';
import { z } from 'zod';

/** One line of a service's log, as it would have gone to stdout. */
const LogLine = z.looseObject({
  level: z.string(),
  service: z.string(),
  msg: z.string().default(''),
  request_id: z.string().optional(),
  trace_id: z.string().optional(),
  err: z.looseObject({ stack: z.string() }).optional(),
});
export type LogLine = z.output<typeof LogLine>;

/** Faults make a service say the same thing again and again; what came last explains most. */
const KEPT = 5_000;
const lines: LogLine[] = [];
let told = 0;
let tell: (text: string) => void = () => {};
/** Every line from now on, as it is written. */
export const onLogLine = (hear: (text: string) => void): void => {
  tell = hear;
};

const keep = (text: string): void => {
  if (process.env['LOG_LEVEL'] !== undefined) process.stdout.write(text);
  tell(text);
  lines.push(LogLine.parse(JSON.parse(text)));
  told += 1;
  if (lines.length > KEPT) lines.shift();
};

/**
 * Services in the test's own process write their logs through pino's destination. It is replaced here, for this
 * process only, before any of them starts. Whoever sets LOG_LEVEL sees the lines as they come, too.
 */
const Pino = z.custom<{ destination: unknown }>((value) => typeof value === 'function' && 'destination' in value);
const kit = createRequire(new URL('../../../libs/kit/package.json', import.meta.url));
Pino.parse(kit('pino')).destination = () => ({ write: keep });

const NOISE = new Set(['level', 'time', 'name', 'service', 'msg', 'err', 'request_id', 'trace_id', 'span_id']);

const FOREIGN = /^ +at .*(node_modules|node:internal|<anonymous>)/;

/** A line for people: who said what, what it names, and where an error came from. */
export const shownLine = (line: LogLine): string => {
  const rest = Object.fromEntries(Object.entries(line).filter(([key]) => !NOISE.has(key)));
  const fields = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  const head = `${line.service} ${line.level}: ${line.msg}${fields}`;
  const stack = line.err?.stack.split('\n').filter((frame) => !FOREIGN.test(frame)) ?? [];
  return [head, ...stack.map((frame) => `    ${frame}`)].join('\n');
};

/** What services and gateway have said so far, the newest last. */
export const logLines = (): readonly LogLine[] => lines;

const shown = new WeakSet<LogLine>();
/** What they said about one request, to be shown now. Without tracing its trace has the request's own id. */
export const linesAbout = (request_id: string): LogLine[] => {
  const trace_id = request_id.replaceAll('-', '');
  const found = lines.filter((line) => line.request_id === request_id || line.trace_id === trace_id);
  for (const line of found) shown.add(line);
  return found;
};

/** Forgets what other files' services said. */
export const forgetLines = (): void => {
  lines.length = 0;
  tell = () => {};
};

/** How many lines were said; whoever asks again later gets those since by `saidSince`. */
export const saidSoFar = (): number => told;

/** What was not shown with a request: work in the background fails without one that could tell of it. */
export const saidSince = (before: number): LogLine[] =>
  lines.slice(lines.length - Math.min(told - before, lines.length)).filter((line) => !shown.has(line));
