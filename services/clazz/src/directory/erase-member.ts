import { clazzEvents, courseMemberCalls, memberCalls } from '@teaching/contracts';
import { notNull, bigint, p, twoStepHandler, requireUnused, type Session, statement } from '@teaching/kit';
import { auditErasure } from '../audit/record-audit.ts';
import { ERASE_FROM_TRAIL, forgetFormerChain } from '../audit/erase-texts.ts';
import { MEMBER } from '../record/record.tables.ts';
import { REMOVE_REFUSALS } from '../refusal/refusals.ts';
import { endFeeds } from './guardians.ts';
import { localReferences, remoteReferences } from './member-references.ts';
import { auditMembers, lockMember } from './save-member.ts';

/** What told of the name before. */
const STRIKE = statement('select strike_member($1, $2) as struck', { struck: bigint().nullable() });

/** Takes a person from the directory, with links to family and what was refused, and the name from what was told; answers from how many events. */
const forgetMember = async (session: Session, user_id: string): Promise<number> => {
  session.remove(MEMBER, user_id);
  endFeeds(session, user_id);
  session.run(REMOVE_REFUSALS, session.org_id, user_id);
  return (await session.queryOne(STRIKE, session.org_id, user_id))?.struck ?? 0;
};

/** The texts about a person in all tables; figures stay as they are. */
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
  { texts: notNull(p.integer()), first: bigint().nullable() },
);
const CLAZZES = statement(
  `select clazz_id from enrolment where org_id = $1 and student_id = $2
   union select clazz_id from staff_period where org_id = $1 and teacher_id = $2`,
  { clazz_id: notNull(p.uuid()) },
);

/** Erases the texts about a person, in rows and in the trail, which tells of it in all classes of theirs; answers how many. */
const eraseTexts = async (session: Session, user_id: string, reason: string): Promise<number> => {
  const { org_id, now } = session;
  const [erased, clazzes] = await Promise.all([
    session.queryOne(ERASE, org_id, user_id, now),
    session.query(CLAZZES, org_id, user_id),
  ]);
  const texts = erased?.texts ?? 0;
  if (erased?.first != null) forgetFormerChain(session, erased.first);
  const clazz_ids = clazzes.map(({ clazz_id }) => clazz_id);
  if (texts > 0) auditErasure(session, { user_id, clazz_ids, texts, reason });
  return texts;
};

/** Whether the directory has the person. Transactions that name the person at the same time wait or are waited for, also if it did not. */
const HOLD = statement(
  `insert into member (org_id, user_id, role, roles, display_name, created_at, updated_at)
   values ($1, $2, 'STUDENT', '{STUDENT}', '', $3, $3)
   on conflict (org_id, user_id) do update set updated_at = excluded.updated_at
   returning (old.user_id is not null) as known`,
  { known: notNull(p.boolean()) },
);

/**
 * Erases a person everywhere. The other service goes first, in a transaction of its own: what fails after it is done by
 * asking again.
 */
export const eraseMember = twoStepHandler(memberCalls.eraseMember, {
  prepare: ({ path: { user_id } }, session) => session.peers.call(courseMemberCalls.erase, { user_id }),
  run: async ({ path: { user_id }, body: { reason } }, session, elsewhere) => {
    const { org_id, now } = session;
    const held = await session.queryOne(HOLD, org_id, user_id, now);
    const texts = elsewhere.texts + (await eraseTexts(session, user_id, reason));
    const struck = await forgetMember(session, user_id);
    const name = held?.known === true || struck > 0;
    if (name || texts > 0) {
      session.emit(clazzEvents.memberErased, org_id, { user_id, erased_at: now.toISOString() });
    }
    return { user_id, name, texts };
  },
});

/** Removes a person to whom nothing refers from the directory; services with a copy of the name remove it by the event. */
export const deleteMember = twoStepHandler(memberCalls.deleteMember, {
  prepare: ({ path: { user_id } }, session) => remoteReferences(session, user_id),
  run: async ({ path: { user_id } }, session, elsewhere) => {
    const before = await lockMember(session, user_id);
    requireUnused([...(await localReferences(session, user_id)), ...elsewhere]);
    await forgetMember(session, user_id);
    session.emit(clazzEvents.memberErased, session.org_id, { user_id, erased_at: session.now.toISOString() });
    auditMembers(session, [{ before, after: null }], null);
    return null;
  },
});
