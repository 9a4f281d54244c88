import { p } from '@mikro-orm/postgresql';
import type { clazzMemberCalls } from '@teaching/contracts';
import { always, type Handler, type Session, statement } from '@teaching/kit';
import { auditErasure } from '../audit/audit.ts';
import { eraseFromTrail } from '../audit/erase-texts.ts';

const COUNT = { texts: always(p.integer()) };
const counted = (update: string) =>
  statement(`with gone as (${update} returning 1) select count(*)::int as texts from gone`, COUNT);

/** What people wrote about somebody, wherever it stands in a row of its own; figures stay as they are. */
const ERASE = [
  counted(
    `update mark_revision set note = null, reason = null
     where org_id = $1 and student_id = $2 and (note is not null or reason is not null)`,
  ),
  counted(`update leave set reason = '' where org_id = $1 and student_id = $2 and reason <> ''`),
  counted('update hour_entry set reason = null where org_id = $1 and student_id = $2 and reason is not null'),
  counted('update lesson set cancel_reason = null where org_id = $1 and teacher_id = $2 and cancel_reason is not null'),
];
const CLAZZES = statement(
  `select clazz_id from enrolment where org_id = $1 and student_id = $2
   union select id from clazz where org_id = $1 and (lead_teacher_id = $2 or $2 = any(assistant_ids))`,
  { clazz_id: always(p.uuid()) },
);

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

const eraseRows = async (session: Session, user_id: string): Promise<number> => {
  const counts = await Promise.all(ERASE.map((what) => session.one(what, session.org_id, user_id)));
  return sum(counts.map((row) => row?.texts ?? 0));
};

/** Erases the texts about a person, in rows and in the trail, which tells of it in all classes of theirs. */
export const eraseMember: Handler<typeof clazzMemberCalls.erase> = async ({ body: { user_id, reason } }, session) => {
  const [rows, trail, clazzes] = await Promise.all([
    eraseRows(session, user_id),
    eraseFromTrail(session, user_id),
    session.query(CLAZZES, session.org_id, user_id),
  ]);
  const texts = rows + trail;
  const clazz_ids = clazzes.map(({ clazz_id }) => clazz_id);
  if (texts > 0) auditErasure(session, { user_id, clazz_ids, texts, reason });
  return { texts };
};
