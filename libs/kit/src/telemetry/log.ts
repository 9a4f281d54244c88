import pino, { type Logger } from 'pino';
import { traceFields } from './trace.ts';
import { redactValues } from './redact-values.ts';

export type { Logger };

let made: ReturnType<typeof pino.destination> | undefined;

/** What is still to be written goes out before the process ends. */
const flush = (): void => {
  try {
    made?.flushSync?.();
  } catch {
    // Nobody reads it any more.
  }
};

const stdout = () => {
  if (made === undefined) process.once('exit', flush);
  return (made ??= pino.destination({ dest: 1, sync: false }));
};

/** What Postgres says of a failed statement beside its message: values of rows and parameters. */
const VALUES = ['err.detail', 'err.where', 'err.internalQuery', 'err.cause.detail', 'err.cause.where'];

const err = (error: unknown) => {
  if (!(error instanceof Error)) return error;
  const { message, stack, ...said } = pino.stdSerializers.err(error);
  return { ...said, message: redactValues(message, error), stack: redactValues(stack, error) };
};

/** JSON lines on stdout. Log ids and counts, never bodies, names or tokens. */
export const createLogger = (name: string, level: string): Logger =>
  pino(
    {
      name,
      level,
      base: { service: name },
      // By name: whoever reads them elsewhere does not know our numbers.
      formatters: { level: (label) => ({ level: label }) },
      mixin: traceFields,
      serializers: { err },
      redact: { paths: VALUES, remove: true },
    },
    stdout(),
  );
