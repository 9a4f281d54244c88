import { p } from '@mikro-orm/postgresql';
import { clazzMemberCalls, courseEvents, memberCalls } from '@teaching/contracts';
import { always, bigint, prepared, type Session, statement } from '@teaching/kit';
import { MEMBER } from './member.table.ts';

const COUNT = { texts: always(p.integer()) };
const counted = (update: string) =>
  statement(`with gone as (${update} returning 1) select count(*)::int as texts from gone`, COUNT);

/** A rubric without what was said about each line. */
const bare = (rubric: string): string =>
  `(select jsonb_agg(line - 'comment' order by n) from jsonb_array_elements(${rubric}) with ordinality as l(line, n))`;

/** What a student wrote, and what was written about it; scores and points stay. */
const ERASE = [
  counted(
    `update submission set answers = '{}', comment = null, rubric = ${bare('rubric')}
     where org_id = $1 and student_id = $2 and (answers <> '{}' or comment is not null or rubric::text like '%"comment"%')`,
  ),
  counted(
    `update mark_revision as m set comment = null, reason = null, rubric = ${bare('m.rubric')} from submission as s
     where m.org_id = $1 and s.org_id = $1 and s.id = m.submission_id and s.student_id = $2
       and (m.comment is not null or m.reason is not null or m.rubric::text like '%"comment"%')`,
  ),
  counted('update daka set content = null where org_id = $1 and student_id = $2 and content is not null'),
];
/** Whether the directory has them. Whoever names them at the same time is waited for, or waits: also if it did not. */
const HOLD = statement(
  `insert into member (org_id, user_id, role, display_name, created_at, updated_at)
   values ($1, $2, 'STUDENT', '', $3, $3)
   on conflict (org_id, user_id) do update set updated_at = excluded.updated_at
   returning (old.user_id is not null) as known`,
  { known: always(p.boolean()) },
);
/** What told of the name before. */
const STRIKE = statement('select strike_member($1, $2) as struck', { struck: bigint().nullable() });

const eraseRows = async (session: Session, user_id: string): Promise<number> => {
  const counts = await Promise.all(ERASE.map((what) => session.one(what, session.org_id, user_id)));
  return counts.reduce((sum, row) => sum + (row?.texts ?? 0), 0);
};

/**
 * Erases a person everywhere. The other service goes first, in a transaction of its own: what fails after it is done by
 * asking again.
 */
export const eraseMember = prepared(memberCalls.erase, {
  prepare: ({ path: { user_id }, body: { reason } }, session) =>
    session.neighbours.call(clazzMemberCalls.erase, { user_id, reason }),
  run: async ({ path: { user_id } }, session, elsewhere) => {
    const { org_id, now } = session;
    const texts = elsewhere.texts + (await eraseRows(session, user_id));
    const held = await session.one(HOLD, org_id, user_id, now);
    session.remove(MEMBER, user_id);
    const struck = await session.one(STRIKE, org_id, user_id);
    const name = held?.known === true || (struck?.struck ?? 0) > 0;
    if (name || texts > 0) {
      session.emit(courseEvents.memberErased, org_id, { user_id, erased_at: now.toISOString() });
    }
    return { user_id, name, texts };
  },
});
