import { courseEvents, type FieldProblem, type Member, type memberCalls, Problem } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { MEMBER_COLUMNS } from './list-members.ts';

/** Rows that stay as they are are not written; the returned ones are those that were. `fresh`: inserted. */
const PUT = statement<{ user_id: string; fresh: boolean }>(
  `insert into member (org_id, user_id, role, display_name, external_id, created_at, updated_at)
   select $1, m.*, $6, $6 from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as m
   on conflict (org_id, user_id) do update
   set role = excluded.role, display_name = excluded.display_name, external_id = excluded.external_id,
       updated_at = excluded.updated_at
   where (member.role, member.display_name, member.external_id)
     is distinct from (excluded.role, excluded.display_name, excluded.external_id)
   returning user_id, (old.user_id is null) as fresh`,
);
const READ = statement<Member>(
  `select ${MEMBER_COLUMNS} from member m join unnest($2::text[]) with ordinality as w(user_id, n) using (user_id)
   where m.org_id = $1 order by w.n`,
);

const byUser = (a: { user_id: string }, b: { user_id: string }): number => (a.user_id < b.user_id ? -1 : 1);

/** Written in the order of the ids, so that two lists that overlap never wait for each other in a circle. */
export const putMembers: Handler<typeof memberCalls.putBulk> = async ({ body }, session) => {
  const ids = body.members.map(({ user_id }) => user_id);
  const twice = ids.flatMap((id, index): FieldProblem[] =>
    ids.indexOf(id) === index ? [] : [{ path: `/body/members/${index}/user_id`, message: 'is named twice' }],
  );
  if (twice.length > 0) throw new Problem('invalid_request', { errors: twice });
  const rows = body.members.toSorted(byUser);
  const written = await session.query(
    PUT,
    session.org_id,
    rows.map((row) => row.user_id),
    rows.map((row) => row.role),
    rows.map((row) => row.display_name),
    rows.map((row) => row.external_id ?? null),
    session.now,
  );
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
