import { courseEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { ERASED } from '../../figures/names.ts';
import { projection } from '../projection.ts';
import { MEMBER } from './table.ts';

export const members = projection(MEMBER, {
  keeps: { highest: 'seq' },
  states: (batch) => [
    ...eventsOf(batch, courseEvents.membersChanged).flatMap((event) =>
      event.data.members.map((member) => ({ ...member, org_id: event.orgid, seq: sequenceOf(event) })),
    ),
    ...eventsOf(batch, courseEvents.memberErased).map((event) => ({
      user_id: event.data.user_id,
      display_name: ERASED,
      org_id: event.orgid,
      seq: sequenceOf(event),
    })),
  ],
});
