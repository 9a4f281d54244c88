import pino, { type Logger } from 'pino';
import { traceFields } from './trace.ts';

export type { Logger };

/** JSON lines on stdout. Log ids and counts, never bodies, names or tokens. */
export const createLogger = (name: string, level: string): Logger =>
  pino({ name, level, base: { service: name }, mixin: traceFields }, pino.destination({ dest: 1, sync: false }));
