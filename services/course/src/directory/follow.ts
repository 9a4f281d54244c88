import { clazzEvents } from '@teaching/contracts';
import { eventsOf, type FollowerDef, type Row, sequenceOf, statement } from '@teaching/kit';
import { MEMBER } from './member.table.ts';

const KEPT = MEMBER.some('org_id', 'user_id', 'role', 'display_name', 'seq');
type Named = Row<typeof KEPT>;
const PUT = statement(
  `insert into member (${KEPT.columns}) select ${KEPT.columns} from json_populate_recordset(null::member, $1)
   on conflict (org_id, user_id) do update
   set role = excluded.role, display_name = excluded.display_name, seq = excluded.seq
   where coalesce(member.seq, 0) < excluded.seq`,
);
const FORGET = statement(
  `delete from member as m using unnest($1::uuid[], $2::text[], $3::bigint[]) as gone(org_id, user_id, seq)
   where m.org_id = gone.org_id and m.user_id = gone.user_id and coalesce(m.seq, 0) < gone.seq`,
);

const keyOf = (org_id: string, user_id: string): string => `${org_id} ${user_id}`;

/** Follows the directory of people and keeps their names. */
export const DIRECTORY: FollowerDef = {
  name: 'directory',
  follows: [clazzEvents.memberChanged, clazzEvents.memberErased],
  apply: (batch) => {
    const named = new Map<string, Named>();
    for (const event of eventsOf(batch, clazzEvents.memberChanged)) {
      for (const { user_id, role, display_name } of event.data.members) {
        const { orgid: org_id } = event;
        named.set(keyOf(org_id, user_id), { org_id, user_id, role, display_name, seq: sequenceOf(event) });
      }
    }
    const gone = eventsOf(batch, clazzEvents.memberErased).map((event) => ({
      org_id: event.orgid,
      user_id: event.data.user_id,
      seq: sequenceOf(event),
    }));
    return async (tx) => {
      if (named.size > 0) tx.run(PUT, JSON.stringify([...named.values()]));
      const [orgs, people, seqs] = [
        gone.map((it) => it.org_id),
        gone.map((it) => it.user_id),
        gone.map((it) => it.seq),
      ];
      if (gone.length > 0) tx.run(FORGET, orgs, people, seqs);
    };
  },
};
