import { clazzEvents, courseEvents, type Role } from '@teaching/contracts';
import { bigint, eventsOf, p, type ReceivedEvent, sequenceOf, table } from '@teaching/kit';
import { ERASED } from '../figures/sql-fragments.ts';
import { projection } from './projection.ts';

/** What the directory calls people. */
export const MEMBER = table('member', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  user_id: p.text().primary(),
  display_name: p.text(),
  seq: bigint(),
});

/**
 * The course service kept the directory once: whatever the class service tells since is later than all of that, though
 * the places in two logs cannot be compared. No epoch of a log is as high as this.
 */
const SINCE_IT_MOVED = 4_000 * 10 ** 12;

interface Named {
  members: { user_id: string; role: Role; display_name: string }[];
}

const named = (events: readonly ReceivedEvent<Named>[], later: number) =>
  events.flatMap((event) =>
    event.data.members.map(({ user_id, display_name }) => ({
      user_id,
      display_name,
      org_id: event.orgid,
      seq: later + sequenceOf(event),
    })),
  );
const erased = (events: readonly ReceivedEvent<{ user_id: string }>[], later: number) =>
  events.map((event) => ({
    user_id: event.data.user_id,
    display_name: ERASED,
    org_id: event.orgid,
    seq: later + sequenceOf(event),
  }));

export const members = projection(MEMBER, {
  keeps: { highest: 'seq' },
  states: (batch) => [
    ...named(eventsOf(batch, courseEvents.membersChanged), 0),
    ...erased(eventsOf(batch, courseEvents.memberErased), 0),
    ...named(eventsOf(batch, clazzEvents.memberChanged), SINCE_IT_MOVED),
    ...erased(eventsOf(batch, clazzEvents.memberErased), SINCE_IT_MOVED),
  ],
});
