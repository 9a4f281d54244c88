import { reasonOf } from '../telemetry/failure-log.ts';
import { ConfigError, type Env } from './config-error.ts';

export const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');

/** Prints the reason why a program cannot start: a line for each invalid setting, or one line with the reason. */
export const printStartError = (what: string, error: unknown, env: Env): void => {
  const isDebugging = ['debug', 'trace'].includes(env['LOG_LEVEL'] ?? '');
  if (error instanceof ConfigError) console.error(error.message);
  else if (isDebugging) console.error(error);
  else console.error(`${what}: ${oneLine(reasonOf(error))}`);
};
