import { isDeepStrictEqual } from 'node:util';
import type { Member, memberCalls } from '@teaching/contracts';
import { type Handler, voidResult, statement } from '@teaching/kit';
import { MEMBER } from '../record/record.tables.ts';
import { newMember } from './member.rules.ts';
import { SHOWN_MEMBER } from './read-members.ts';
import { restoreAccess } from './revoke-tokens.ts';
import { auditMembers, publishMemberEvent } from './save-member.ts';

/** Serializes calls that put members of one org, so that each keeps the omitted fields of a committed state. */
const ONE_BY_ONE = statement("select own_turn($1, 'members')", {
  own_turn: voidResult(),
});
const HOLD = statement(
  `select ${SHOWN_MEMBER.columns} from member where org_id = $1 and user_id = any($2::text[]) order by user_id for update`,
  SHOWN_MEMBER.shape,
);
const READ = statement(
  `select ${SHOWN_MEMBER.withAlias('m')} from member m join unnest($2::text[]) with ordinality as w(user_id, n) using (user_id)
   where m.org_id = $1 and m.user_id = any($2::text[]) order by w.n`,
  SHOWN_MEMBER.shape,
);

export const putMembers: Handler<typeof memberCalls.putMembers> = async ({ body }, session) => {
  const { org_id, now } = session;
  const ids = body.members.map(({ user_id }) => user_id);
  session.run(ONE_BY_ONE, org_id);
  const found = new Map((await session.query(HOLD, org_id, ids)).map((it) => [it.user_id, it]));
  const at = now.toISOString();
  const added: Member[] = [];
  const changed: { before: Member; after: Member }[] = [];
  for (const input of body.members) {
    const before = found.get(input.user_id);
    const after = newMember(before, input);
    if (before === undefined) added.push({ ...after, status: 'active', version: 1, created_at: at, updated_at: at });
    else if (!isDeepStrictEqual({ ...before, ...after }, before)) {
      changed.push({ before, after: { ...before, ...after, version: before.version + 1, updated_at: at } });
    }
  }
  const rows = (members: readonly Member[]) => MEMBER.toJson(members.map((it) => ({ org_id, ...it })));
  if (added.length > 0) {
    session.run(MEMBER.insert, rows(added));
    restoreAccess(session, ...added.map(({ user_id }) => user_id));
  }
  const updated = changed.map(({ after }) => after);
  if (updated.length > 0) session.run(MEMBER.update, rows(updated));
  publishMemberEvent(session, [...added, ...updated]);
  auditMembers(session, [...added.map((after) => ({ before: null, after })), ...changed], null);
  return {
    items: await session.query(READ, org_id, ids),
    created: added.length,
    updated: changed.length,
    unchanged: ids.length - added.length - changed.length,
  };
};
