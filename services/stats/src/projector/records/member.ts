import { courseEvents } from '@teaching/contracts';
import { eventsOf, sequenceOf } from '@teaching/kit';
import { bySeq, recordKind } from '../record-kind.ts';

interface MemberRow {
  org_id: string;
  user_id: string;
  display_name: string;
  seq: number;
}

export const members = recordKind<MemberRow>()({
  columns: { org_id: 'uuid', user_id: 'text', display_name: 'text', seq: 'bigint' },
  key: ({ user_id }) => user_id,
  isLater: bySeq,
  states: (batch) =>
    eventsOf(batch, courseEvents.membersChanged).flatMap((event) =>
      event.data.members.map(({ user_id, display_name }) => {
        return { org_id: event.orgid, user_id, display_name, seq: sequenceOf(event) };
      }),
    ),
  store: ({ names, rows, replaced }) => `
    insert into member (gen, ${names}) select $1, ${names} from ${rows}
    on conflict (org_id, gen, user_id) do update set ${replaced} where member.seq < excluded.seq`,
});
