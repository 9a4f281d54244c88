import { reasonOf } from '../telemetry/failure-log.ts';
import { ConfigError, type Env } from './config-error.ts';

export const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ');

/** Says to whoever started something why it is not done: a line for each wrong setting, or one with the reason. */
export const printStartError = (what: string, error: unknown, env: Env): void => {
  const isDebugging = ['debug', 'trace'].includes(env['LOG_LEVEL'] ?? '');
  if (error instanceof ConfigError) console.error(error.message);
  else if (isDebugging) console.error(error);
  else console.error(`${what}: ${oneLine(reasonOf(error))}`);
};
