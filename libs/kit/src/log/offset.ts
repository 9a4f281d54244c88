import type { Envelope, LogKind } from '@teaching/contracts';
import { z } from 'zod';

/**
 * A place in a log: its number, the epoch it was given in, and the id of the event there. `id` is null before
 * the first event.
 */
export const Offset = z.object({ epoch: z.int(), no: z.int(), id: z.string().nullable() });
export type Offset = z.output<typeof Offset>;

const NUMBERS_OF_AN_EPOCH = 1_000_000_000_000;
const DIGITS = 16;

/** Places in one order: what a later epoch numbers comes after all that an earlier one did. */
export const orderOf = ({ epoch, no }: Pick<Offset, 'epoch' | 'no'>): number => epoch * NUMBERS_OF_AN_EPOCH + no;

export const offsetOf = (order: number): Pick<Offset, 'epoch' | 'no'> => ({
  epoch: Math.floor(order / NUMBERS_OF_AN_EPOCH),
  no: order % NUMBERS_OF_AN_EPOCH,
});

/** CloudEvents extension `sequence`: four digits of the epoch, twelve of the number. */
export const sequenceText = (place: Pick<Offset, 'epoch' | 'no'>): string =>
  String(orderOf(place)).padStart(DIGITS, '0');

/**
 * The place of an event in its source's log. Events are numbered in the order their transactions wrote them,
 * while the rows they tell about were locked; so of two states of one record the later has the higher sequence.
 */
export const sequenceOf = (event: Pick<Envelope, 'sequence'>): number => Number(event.sequence ?? 0);

/** The name of a log among all services: `clazz` for what happened there, `clazz.audit` for its audit records. */
export const logName = (service: string, kind: LogKind): string => (kind === 'domain' ? service : `${service}.${kind}`);
