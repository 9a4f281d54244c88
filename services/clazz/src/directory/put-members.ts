import { isDeepStrictEqual } from 'node:util';
import { clazzEvents, type Member, type memberCalls, Problem } from '@teaching/contracts';
import { type Handler, nothing, requireDifferent, type Session, statement } from '@teaching/kit';
import { MEMBER } from './member.table.ts';
import { memberAfter, roleProblems } from './member.rules.ts';
import { SHOWN } from './shown.ts';

/** Lists of one org are put one after the other, so that what one leaves out is not what another has just said. */
const ONE_BY_ONE = statement("select pg_advisory_xact_lock(hashtextextended('members ' || $1, 0))", {
  pg_advisory_xact_lock: nothing(),
});
const HOLD = statement(
  `select ${SHOWN.columns} from member where org_id = $1 and user_id = any($2::text[]) order by user_id for update`,
  SHOWN.shape,
);
const READ = statement(
  `select ${SHOWN.of('m')} from member m join unnest($2::text[]) with ordinality as w(user_id, n) using (user_id)
   where m.org_id = $1 and m.user_id = any($2::text[]) order by w.n`,
  SHOWN.shape,
);

/** Tells those who keep copies of names. */
export const tellMembers = (session: Session, members: readonly Member[]): void => {
  if (members.length === 0) return;
  session.emit(clazzEvents.memberChanged, session.org_id, {
    members: members.map(({ user_id, role, roles, display_name, status }) => ({
      user_id,
      role,
      roles,
      display_name,
      status,
    })),
  });
};

export const putMembers: Handler<typeof memberCalls.putBulk> = async ({ body }, session) => {
  const { org_id, now } = session;
  const ids = body.members.map(({ user_id }) => user_id);
  requireDifferent(ids, (index) => `/body/members/${index}/user_id`);
  const errors = body.members.flatMap(({ role, roles }, index) =>
    roleProblems(role, roles, `/body/members/${index}/roles`),
  );
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  session.run(ONE_BY_ONE, org_id);
  const found = new Map((await session.query(HOLD, org_id, ids)).map((it) => [it.user_id, it]));
  const at = now.toISOString();
  const added: Member[] = [];
  const changed: Member[] = [];
  for (const given of body.members) {
    const before = found.get(given.user_id);
    const after = memberAfter(before, given);
    if (before === undefined) added.push({ ...after, status: 'active', version: 1, created_at: at, updated_at: at });
    else if (!isDeepStrictEqual({ ...before, ...after }, before)) {
      changed.push({ ...before, ...after, version: before.version + 1, updated_at: at });
    }
  }
  const rows = (members: readonly Member[]) => MEMBER.rows(members.map((it) => ({ org_id, ...it })));
  if (added.length > 0) session.run(MEMBER.insert, rows(added));
  if (changed.length > 0) session.run(MEMBER.update, rows(changed));
  tellMembers(session, [...added, ...changed]);
  return {
    items: await session.query(READ, org_id, ids),
    created: added.length,
    updated: changed.length,
    unchanged: ids.length - added.length - changed.length,
  };
};
