import type { Envelope, LogKind } from '@teaching/contracts';
import { z } from 'zod';

/**
 * The offset of an entry in a log: its number, the epoch of the number, and the id of the event. `id` is null before
 * the first event.
 */
export const Offset = z.object({ epoch: z.int(), no: z.int(), id: z.string().nullable() });
export type Offset = z.output<typeof Offset>;

const NUMBERS_OF_AN_EPOCH = 1_000_000_000_000;
const DIGITS = 16;

/** The order of an offset as one number: all numbers of a later epoch come after those of an earlier one. */
export const orderOf = ({ epoch, no }: Pick<Offset, 'epoch' | 'no'>): number => epoch * NUMBERS_OF_AN_EPOCH + no;

export const offsetOf = (order: number): Pick<Offset, 'epoch' | 'no'> => ({
  epoch: Math.floor(order / NUMBERS_OF_AN_EPOCH),
  no: order % NUMBERS_OF_AN_EPOCH,
});

/** CloudEvents extension `sequence`: four digits of the epoch, twelve of the number. */
export const sequenceText = (offset: Pick<Offset, 'epoch' | 'no'>): string =>
  String(orderOf(offset)).padStart(DIGITS, '0');

/**
 * The order of an event in its source's log. Events are numbered in the order in which their transactions wrote them,
 * while the rows that they describe were locked. So of two states of one record the later has the higher sequence.
 */
export const sequenceOf = (event: Pick<Envelope, 'sequence'>): number => Number(event.sequence ?? 0);

/** The name of a log across services: `clazz` for the domain log of `clazz`, `clazz.audit` for its audit records. */
export const logName = (service: string, kind: LogKind): string => (kind === 'domain' ? service : `${service}.${kind}`);
