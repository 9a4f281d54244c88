import { always, bigint, p, type Session, statement } from '@teaching/kit';
import { auditErasure } from '../audit/audit.ts';
import { ERASE_FROM_TRAIL, forgetFormerChain } from '../audit/erase-texts.ts';

/** What people wrote about somebody, wherever it stands; figures stay as they are. */
const PARTS = {
  marks: `update mark_revision set note = null, reason = null
    where org_id = $1 and student_id = $2 and (note is not null or reason is not null) returning 1`,
  leaves: `update leave set reason = '', called_by = null, override_reason = null
    where org_id = $1 and student_id = $2
      and (reason <> '' or called_by is not null or override_reason is not null) returning 1`,
  entries:
    'update hour_entry set reason = null where org_id = $1 and student_id = $2 and reason is not null returning 1',
  lessons: `update lesson set cancel_reason = null
    where org_id = $1 and teacher_id = $2 and cancel_reason is not null returning 1`,
  trail: ERASE_FROM_TRAIL,
};
/** One statement sees one moment: of what is written meanwhile it takes all, in rows and trail alike, or nothing. */
const ERASE = statement(
  `with ${Object.entries(PARTS)
    .map(([name, update]) => `${name} as (${update})`)
    .join(', ')}
   select (${Object.keys(PARTS)
     .map((name) => `(select count(*) from ${name})`)
     .join(' + ')})::int as texts, (select min(former_seq) from trail) as first`,
  { texts: always(p.integer()), first: bigint().nullable() },
);
const CLAZZES = statement(
  `select clazz_id from enrolment where org_id = $1 and student_id = $2
   union select clazz_id from staff_period where org_id = $1 and teacher_id = $2`,
  { clazz_id: always(p.uuid()) },
);

/** Erases the texts about a person, in rows and in the trail, which tells of it in all classes of theirs; answers how many. */
export const eraseTexts = async (session: Session, user_id: string, reason: string): Promise<number> => {
  const { org_id, now } = session;
  const [erased, clazzes] = await Promise.all([
    session.one(ERASE, org_id, user_id, now),
    session.query(CLAZZES, org_id, user_id),
  ]);
  const texts = erased?.texts ?? 0;
  if (erased?.first != null) forgetFormerChain(session, erased.first);
  const clazz_ids = clazzes.map(({ clazz_id }) => clazz_id);
  if (texts > 0) auditErasure(session, { user_id, clazz_ids, texts, reason });
  return texts;
};
