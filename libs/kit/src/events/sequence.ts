import type { Envelope } from '@teaching/contracts';

const DIGITS = 16;

/** Puts the place in the outbox into an envelope's JSON text (CloudEvents extension `sequence`). */
export const withSequence = (event: string, seq: number): string =>
  `{"sequence":"${String(seq).padStart(DIGITS, '0')}",${event.slice(1)}`;

/**
 * The place of an event in its source's history. The outbox row is written last in its transaction, while
 * the rows it tells about are locked; so of two states of one record the later has the higher sequence.
 */
export const sequenceOf = (event: Pick<Envelope, 'sequence'>): number => Number(event.sequence ?? 0);
