import { setTimeout } from 'node:timers/promises';
import { Problem } from '@teaching/contracts';
import { databaseFault } from '../db/fault.ts';
import { record } from '../telemetry/metrics.ts';
import { RanOut } from './deletion.ts';

/**
 * Lost races that a second try resolves: serialization failure, deadlock, and an exclusion constraint that
 * another transaction was first to fill (the second try sees its rows and can name them).
 */
const RETRIED = new Set(['40001', '40P01', '23P01']);
const TRIES = 4;
/** Whoever was first gets this long, more each time, and by chance: two who come back at once would meet again. */
const AGAIN_MS = 10;

/** A read is done, and what it leaves on the audit trail is not: no entry, no answer. Whoever only reads may ask again. */
export class Unrecorded extends Problem {
  constructor(cause: unknown) {
    super('unavailable', 'The read could not be put on the audit trail');
    this.cause = cause;
  }
}

/** Another try may do it. */
export const isLostRace = (error: unknown): boolean => {
  const fault = databaseFault(error instanceof Unrecorded ? error.cause : error);
  return error instanceof RanOut || RETRIED.has(fault?.code ?? '');
};

/** Does the work, and again what lost a race. */
export const retried = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !isLostRace(error)) throw error;
      record.retry(databaseFault(error)?.code ?? 'ran_out');
      await setTimeout(Math.random() * AGAIN_MS * tries);
    }
  }
};
