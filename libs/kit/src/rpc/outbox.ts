import type { EventData, EventDef } from '@teaching/contracts';
import type { Work } from '../db/connection.ts';

/** On whose behalf an event happens. */
export interface Origin {
  org_id: string;
  user_id: string;
  request_id: string;
}

/** The events of one transaction, stored with it: all of them or none. */
export interface Outbox {
  readonly tx_id: string;
  readonly count: number;
  /** How many of them other services' answers are made of. */
  readonly feeding: number;
  /** `aggregate_id` orders: events of one aggregate reach followers in the order they were emitted. */
  add<E extends EventDef>(origin: Origin, event: E, aggregate_id: string, data: EventData<E>): void;
  /** Sends what stores them, just before the commit. */
  write(connection: Work): void;
}
