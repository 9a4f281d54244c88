import pino, { type Logger } from 'pino';
import { traceFields } from './trace.ts';
import { redactValues } from './redact-values.ts';

export type { Logger };

let destination: ReturnType<typeof pino.destination> | undefined;

/** Writes the buffered lines before the process ends. */
const flush = (): void => {
  try {
    destination?.flushSync?.();
  } catch {
    // Standard output is closed; the lines cannot be delivered.
  }
};

const stdout = () => {
  if (destination === undefined) process.once('exit', flush);
  return (destination ??= pino.destination({ dest: 1, sync: false }));
};

/** The fields in which Postgres repeats values of rows and parameters of a failed statement. */
const VALUES = ['err.detail', 'err.where', 'err.internalQuery', 'err.cause.detail', 'err.cause.where'];

const err = (error: unknown) => {
  if (!(error instanceof Error)) return error;
  const { message, stack, ...fields } = pino.stdSerializers.err(error);
  return { ...fields, message: redactValues(message, error), stack: redactValues(stack, error) };
};

/** JSON lines on stdout. Log ids and counts, never bodies, names or tokens. */
export const createLogger = (name: string, level: string): Logger =>
  pino(
    {
      name,
      level,
      base: { service: name },
      // By name: readers elsewhere do not know pino's numbers.
      formatters: { level: (label) => ({ level: label }) },
      mixin: traceFields,
      serializers: { err },
      redact: { paths: VALUES, remove: true },
    },
    stdout(),
  );
