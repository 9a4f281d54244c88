import { allEvents } from '@teaching/contracts';

/** The events statistics are made of: those that say so themselves. */
export const FED_BY = allEvents.filter(({ feeds }) => feeds.includes('stats'));
/** The services these come from. */
export const SOURCES: readonly string[] = [...new Set(FED_BY.map(({ service }) => service))];
