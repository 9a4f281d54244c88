import { randomUUIDv7 } from 'node:crypto';

/** A new record id: UUIDv7 (RFC 9562), so ids sort by time of creation. */
export const newId = (): string => randomUUIDv7();
