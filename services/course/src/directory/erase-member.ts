import type { courseMemberCalls } from '@teaching/contracts';
import { notNull, bigint, type Handler, p, statement } from '@teaching/kit';
import { MEMBER } from './member.ts';

const COUNT = { texts: notNull(p.integer()) };
const countUpdated = (update: string) =>
  statement(`with gone as (${update} returning 1) select count(*)::int as texts from gone`, COUNT);

/** SQL of a rubric without the comments on its lines. */
const withoutComments = (rubric: string): string =>
  `(select jsonb_agg(line - 'comment' order by n) from jsonb_array_elements(${rubric}) with ordinality as l(line, n))`;

/** Statements that erase the texts of a student and the comments on them. Scores and points stay. */
const ERASE = [
  countUpdated(
    `update submission set answers = '{}', comment = null, rubric = ${withoutComments('rubric')}
     where org_id = $1 and student_id = $2 and (answers <> '{}' or comment is not null or rubric::text like '%"comment"%')`,
  ),
  countUpdated(
    `update mark_revision as m set comment = null, reason = null, rubric = ${withoutComments('m.rubric')} from submission as s
     where m.org_id = $1 and s.org_id = $1 and s.id = m.submission_id and s.student_id = $2
       and (m.comment is not null or m.reason is not null or m.rubric::text like '%"comment"%')`,
  ),
  countUpdated('update daka set content = null where org_id = $1 and student_id = $2 and content is not null'),
];
/** Removes the name from log entries that earlier releases wrote. */
const ERASE_FROM_LOG = statement('select strike_member($1, $2) as struck', { struck: bigint().nullable() });

/** Erases the texts and the name of a person. Returns the number of changed rows with texts. */
export const eraseMember: Handler<typeof courseMemberCalls.erase> = async ({ body: { user_id } }, session) => {
  const { org_id } = session;
  const counts = await Promise.all(ERASE.map((update) => session.queryOne(update, org_id, user_id)));
  session.remove(MEMBER, user_id);
  await session.queryOne(ERASE_FROM_LOG, org_id, user_id);
  return { texts: counts.reduce((sum, row) => sum + (row?.texts ?? 0), 0) };
};
