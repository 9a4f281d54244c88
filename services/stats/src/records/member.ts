import { clazzEvents, courseEvents, type Role } from '@teaching/contracts';
import { bigint, eventsOf, p, type ReceivedEvent, sequenceOf, table } from '@teaching/kit';
import { ERASED } from '../figures/sql-fragments.ts';
import { projection } from './projection.ts';

/** Names of people in the member directory. */
export const MEMBER = table('member', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  user_id: p.text().primary(),
  display_name: p.text(),
  seq: bigint(),
});

/**
 * Added to the sequence numbers of the class service. The course service owned the directory before, and numbers of two
 * logs cannot be compared. With this offset, every event of the class service is later than every event of the course
 * service. It is higher than any epoch of a log.
 */
const CLAZZ_LOG_OFFSET = 4_000 * 10 ** 12;

interface MembersData {
  members: { user_id: string; role: Role; display_name: string }[];
}

const nameStates = (events: readonly ReceivedEvent<MembersData>[], offset: number) =>
  events.flatMap((event) =>
    event.data.members.map(({ user_id, display_name }) => ({
      user_id,
      display_name,
      org_id: event.orgid,
      seq: offset + sequenceOf(event),
    })),
  );
const erasedStates = (events: readonly ReceivedEvent<{ user_id: string }>[], offset: number) =>
  events.map((event) => ({
    user_id: event.data.user_id,
    display_name: ERASED,
    org_id: event.orgid,
    seq: offset + sequenceOf(event),
  }));

export const members = projection(MEMBER, {
  mergeRule: { highest: 'seq' },
  states: (batch) => [
    ...nameStates(eventsOf(batch, courseEvents.membersChanged), 0),
    ...erasedStates(eventsOf(batch, courseEvents.memberErased), 0),
    ...nameStates(eventsOf(batch, clazzEvents.memberChanged), CLAZZ_LOG_OFFSET),
    ...erasedStates(eventsOf(batch, clazzEvents.memberErased), CLAZZ_LOG_OFFSET),
  ],
});
