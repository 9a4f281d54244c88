import { p } from '@mikro-orm/postgresql';
import { courseEvents, type Input, Member, type memberCalls, MemberFields } from '@teaching/contracts';
import { always, containing, type Handler, pagedList, type Session, statement } from '@teaching/kit';
import { requireDifferent } from '../shared/different.rules.ts';
import { MEMBER } from './member.table.ts';

const SHOWN = MEMBER.wire(Member);
const SETTABLE = MEMBER.without('org_id', 'user_id', 'created_at', 'updated_at');

/** Rows that stay as they are are not written; the returned ones are those that were. `fresh`: inserted. */
const PUT = statement(
  `insert into member (${MEMBER.columns}) select ${MEMBER.columns} from json_populate_recordset(null::member, $1)
   on conflict (org_id, user_id) do update
   set (${SETTABLE.columns}, updated_at) = row(${SETTABLE.of('excluded')}, excluded.updated_at)
   where (${SETTABLE.of('member')}) is distinct from (${SETTABLE.of('excluded')})
   returning user_id, (old.user_id is null) as fresh`,
  { ...MEMBER.some('user_id').shape, fresh: always(p.boolean()) },
);
const READ = statement(
  `select ${SHOWN.of('m')} from member m join unnest($2::text[]) with ordinality as w(user_id, n) using (user_id)
   where m.org_id = $1 and m.user_id = any($2::text[]) order by w.n`,
  SHOWN.shape,
);

type Named = Input<typeof memberCalls.putBulk>['body']['members'];

/** In the order of the ids, so that two lists that overlap never wait for each other in a circle. */
const rowsOf = ({ org_id, now }: Session, members: Named): string => {
  const at = now.toISOString();
  const rows = members.map((it) => ({
    org_id,
    user_id: it.user_id,
    ...MemberFields.filled(it, {}),
    created_at: at,
    updated_at: at,
  }));
  return MEMBER.rows(rows.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1)));
};

export const putMembers: Handler<typeof memberCalls.putBulk> = async ({ body }, session) => {
  const ids = body.members.map(({ user_id }) => user_id);
  requireDifferent(ids, (index) => `/body/members/${index}/user_id`);
  const written = await session.query(PUT, rowsOf(session, body.members));
  const changed = new Set(written.map(({ user_id }) => user_id));
  const created = written.filter(({ fresh }) => fresh).length;
  if (changed.size > 0) {
    session.emit(courseEvents.membersChanged, session.org_id, {
      members: body.members
        .filter(({ user_id }) => changed.has(user_id))
        .map(({ user_id, role, display_name }) => ({ user_id, role, display_name })),
    });
  }
  return {
    items: await session.query(READ, session.org_id, ids),
    created,
    updated: changed.size - created,
    unchanged: ids.length - changed.size,
  };
};

const list = pagedList({
  ...SHOWN,
  from: 'member',
  id: { by: 'user_id', type: 'text' },
  sorts: {
    display_name: { by: 'display_name', type: 'text' },
    user_id: { by: 'user_id', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: { role: 'role = ?', keyword: containing('search') },
});

export const listMembers: Handler<typeof memberCalls.list> = ({ query }, session) => list(session, query, query);
