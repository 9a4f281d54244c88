import pino, { type Logger } from 'pino';
import { logOutput } from './log-output.ts';
import { traceFields } from './trace.ts';
import { redactValues } from './redact-values.ts';

export type { Logger };

/** The fields in which Postgres repeats values of rows and parameters of a failed statement. */
const VALUES = ['err.detail', 'err.where', 'err.internalQuery', 'err.cause.detail', 'err.cause.where'];

const err = (error: unknown) => {
  if (!(error instanceof Error)) return error;
  const { message, stack, ...fields } = pino.stdSerializers.err(error);
  return { ...fields, message: redactValues(message, error), stack: redactValues(stack, error) };
};

/** JSON lines on standard output. Log ids and counts, never bodies, names or tokens. */
export const createLogger = (name: string, level: string): Logger => {
  const log = pino(
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
    logOutput,
  );
  logOutput.onRecovery ??= (count) => log.warn({ count }, 'log lines were dropped because they could not be written');
  return log;
};
