import type pg from 'pg';
import type { Logger } from 'pino';
import type { Bus } from '../rpc/message-bus.ts';
import type { StreamLimits } from './stream.ts';

export interface SourceDeps {
  service: string;
  bus: Bus;
  pool: pg.Pool;
  log: Logger;
  limits: StreamLimits;
}
