import { courseEvents } from '@teaching/contracts';
import { type App, eventsOf, type ReceivedEvent, statement } from '../../src/index.ts';

const STORE = statement('insert into probe (event_id, aggregate_id, title, place) values ($1, $2, $3, $4)');

export type Titled = ReceivedEvent<{ title: string }>;

/** The probe as an app that can be started. `onEvent` may throw, so that an event fails. */
export const probeApp = (onEvent: (event: Titled) => void): App => ({
  name: 'stats',
  modules: [],
  follower: {
    name: 'probe',
    follows: [courseEvents.courseCreated, courseEvents.courseUpdated],
    apply: (events: readonly ReceivedEvent[]) => {
      const titled = [
        ...eventsOf(events, courseEvents.courseCreated),
        ...eventsOf(events, courseEvents.courseUpdated),
      ].sort((a, b) => Number(a.sequence) - Number(b.sequence));
      return async (tx) => {
        for (const event of titled) {
          tx.run(STORE, event.id, event.subject, event.data.title, Number(event.sequence));
          onEvent(event);
        }
      };
    },
  },
  migrations: [],
});
