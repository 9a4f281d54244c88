import { clazzEvents, courseMemberCalls, memberCalls } from '@teaching/contracts';
import { notNull, bigint, p, twoStepHandler, requireUnused, type Session, statement } from '@teaching/kit';
import { auditErasure } from '../audit/record-audit.ts';
import { ERASE_AUDIT_TEXTS, removeFormerHashes } from '../audit/erase-texts.ts';
import { MEMBER } from '../record/record.tables.ts';
import { REMOVE_REFUSALS } from '../refusal/refusals.ts';
import { deleteEndedGuardianFeeds } from './guardians.ts';
import { localReferences, remoteReferences } from './member-references.ts';
import { auditMembers, lockMember } from './save-member.ts';

/** Removes the name from stored events. Returns the number of changed events. */
const ERASE_NAME_FROM_EVENTS = statement('select strike_member($1, $2) as struck', { struck: bigint().nullable() });

/**
 * Removes a person from the directory, with the guardian links and refusals, and erases the name from stored events.
 * Returns the number of changed events.
 */
const forgetMember = async (session: Session, user_id: string): Promise<number> => {
  session.remove(MEMBER, user_id);
  deleteEndedGuardianFeeds(session, user_id);
  session.run(REMOVE_REFUSALS, session.org_id, user_id);
  return (await session.queryOne(ERASE_NAME_FROM_EVENTS, session.org_id, user_id))?.struck ?? 0;
};

/** Erases the texts about a person, by table. Figures stay as they are. */
const PARTS = {
  marks: `update mark_revision set note = null, reason = null
    where org_id = $1 and student_id = $2 and (note is not null or reason is not null) returning 1`,
  leaves: `update leave set reason = '', called_by = null, override_reason = null, decision_reason = null
    where org_id = $1 and student_id = $2 and (reason <> '' or called_by is not null or override_reason is not null
      or decision_reason is not null) returning 1`,
  entries:
    'update hour_entry set reason = null where org_id = $1 and student_id = $2 and reason is not null returning 1',
  lessons: `update lesson set cancel_reason = null
    where org_id = $1 and teacher_id = $2 and cancel_reason is not null returning 1`,
  trail: ERASE_AUDIT_TEXTS,
};
/** One statement sees one snapshot. It erases both the row and the audit text of a concurrent write, or neither. */
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

/**
 * Erases the texts about a person in rows and in the audit log. An audit entry in each class of the person records it.
 * Returns the number of erased texts.
 */
const eraseTexts = async (session: Session, user_id: string, reason: string): Promise<number> => {
  const { org_id, now } = session;
  const [erased, clazzes] = await Promise.all([
    session.queryOne(ERASE, org_id, user_id, now),
    session.query(CLAZZES, org_id, user_id),
  ]);
  const texts = erased?.texts ?? 0;
  if (erased?.first != null) removeFormerHashes(session, erased.first);
  const clazz_ids = clazzes.map(({ clazz_id }) => clazz_id);
  if (texts > 0) auditErasure(session, { user_id, clazz_ids, texts, reason });
  return texts;
};

/**
 * Locks the member and returns whether the directory contains it. An unknown member is inserted and locked too, so that
 * concurrent transactions naming the person wait.
 */
const HOLD = statement(
  `insert into member (org_id, user_id, role, roles, display_name, created_at, updated_at)
   values ($1, $2, 'STUDENT', '{STUDENT}', '', $3, $3)
   on conflict (org_id, user_id) do update set updated_at = excluded.updated_at
   returning (old.user_id is not null) as known`,
  { known: notNull(p.boolean()) },
);

/**
 * Erases a person in all services. The course service erases first, in its own transaction. If a later step fails, the
 * call can be repeated.
 */
export const eraseMember = twoStepHandler(memberCalls.eraseMember, {
  prepare: ({ path: { user_id } }, session) => session.peers.call(courseMemberCalls.erase, { user_id }),
  run: async ({ path: { user_id }, body: { reason } }, session, remote) => {
    const { org_id, now } = session;
    const locked = await session.queryOne(HOLD, org_id, user_id, now);
    const texts = remote.texts + (await eraseTexts(session, user_id, reason));
    const eventsChanged = await forgetMember(session, user_id);
    const name = locked?.known === true || eventsChanged > 0;
    if (name || texts > 0) {
      session.emit(clazzEvents.memberErased, org_id, { user_id, erased_at: now.toISOString() });
    }
    return { user_id, name, texts };
  },
});

/**
 * Removes a person without references from the directory. Other services remove their copy of the name when they
 * receive the event.
 */
export const deleteMember = twoStepHandler(memberCalls.deleteMember, {
  prepare: ({ path: { user_id } }, session) => remoteReferences(session, user_id),
  run: async ({ path: { user_id } }, session, remote) => {
    const before = await lockMember(session, user_id);
    requireUnused([...(await localReferences(session, user_id)), ...remote]);
    await forgetMember(session, user_id);
    session.emit(clazzEvents.memberErased, session.org_id, { user_id, erased_at: session.now.toISOString() });
    auditMembers(session, [{ before, after: null }], null);
    return null;
  },
});
