import { courseEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { projection } from '../projection.ts';
import { MEMBER } from './table.ts';

export const members = projection(MEMBER, {
  keeps: { highest: 'seq' },
  states: (batch) =>
    eventsOf(batch, courseEvents.membersChanged).flatMap((event) =>
      event.data.members.map((member) => ({ ...member, org_id: event.orgid, seq: sequenceOf(event) })),
    ),
});
