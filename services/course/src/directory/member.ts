import { ALL_ROLES, clazzEvents } from '@teaching/contracts';
import {
  bigint,
  eventsOf,
  type FollowerDefinition,
  instant,
  p,
  type Row,
  sequenceOf,
  statement,
  table,
} from '@teaching/kit';

/** Names of people: a copy of the member directory of the class service, updated by its events. */
export const MEMBER = table('member', {
  org_id: p.uuid().primary(),
  user_id: p.text().primary(),
  role: p.enum(ALL_ROLES),
  display_name: p.text(),
  /** Sequence number of the event that wrote the row. Null: written when this service still owned the directory. */
  seq: bigint().nullable(),
  external_id: p.text().nullable().hidden(),
  created_at: instant().nullable().hidden(),
  updated_at: instant().nullable().hidden(),
});

const NAMED_MEMBER = MEMBER.pick('org_id', 'user_id', 'role', 'display_name', 'seq');
type NamedMember = Row<typeof NAMED_MEMBER>;
const PUT_MEMBERS = statement(
  `insert into member (${NAMED_MEMBER.columns}) select ${NAMED_MEMBER.columns} from json_populate_recordset(null::member, $1)
   on conflict (org_id, user_id) do update
   set role = excluded.role, display_name = excluded.display_name, seq = excluded.seq
   where coalesce(member.seq, 0) < excluded.seq`,
);
const DELETE_MEMBERS = statement(
  `delete from member as m using unnest($1::uuid[], $2::text[], $3::bigint[]) as gone(org_id, user_id, seq)
   where m.org_id = gone.org_id and m.user_id = gone.user_id and coalesce(m.seq, 0) < gone.seq`,
);

const keyOf = (org_id: string, user_id: string): string => `${org_id} ${user_id}`;

/** Updates the copy of the member directory. */
export const directoryFollower: FollowerDefinition = {
  name: 'directory',
  follows: [clazzEvents.memberChanged, clazzEvents.memberErased],
  apply: (batch) => {
    const changed = new Map<string, NamedMember>();
    for (const event of eventsOf(batch, clazzEvents.memberChanged)) {
      for (const { user_id, role, display_name } of event.data.members) {
        const { orgid: org_id } = event;
        changed.set(keyOf(org_id, user_id), { org_id, user_id, role, display_name, seq: sequenceOf(event) });
      }
    }
    const erased = eventsOf(batch, clazzEvents.memberErased).map((event) => ({
      org_id: event.orgid,
      user_id: event.data.user_id,
      seq: sequenceOf(event),
    }));
    return async (tx) => {
      if (changed.size > 0) tx.run(PUT_MEMBERS, JSON.stringify([...changed.values()]));
      const [orgs, people, seqs] = [
        erased.map((it) => it.org_id),
        erased.map((it) => it.user_id),
        erased.map((it) => it.seq),
      ];
      if (erased.length > 0) tx.run(DELETE_MEMBERS, orgs, people, seqs);
    };
  },
};
