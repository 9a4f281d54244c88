import { type memberCalls, Problem } from '@teaching/contracts';
import { always, bigint, type Handler, statement } from '@teaching/kit';
import { auditOfOrg, changesOf } from '../audit/audit.ts';
import { namesOf } from '../record/names-of.ts';
import { SHUT_OUT } from './shut-out.table.ts';

/** People of one organization whose sign-out counts at once: every gateway remembers each of them. */
const MOST = 50_000;
const COUNT = statement(
  `select count(*) as count from (
     select from shut_out where org_id = $1 and signed_out_at is not null and user_id <> $2 limit ${MOST}
   ) as others`,
  { count: always(bigint()) },
);
/** Of two at once the later moment counts. */
const SIGN_OUT = statement(
  `insert into shut_out (org_id, user_id, inactive, signed_out_at, changed_at) values ($1, $2, false, $3, $3)
   on conflict (org_id, user_id) do update set
     signed_out_at = greatest(shut_out.signed_out_at, excluded.signed_out_at),
     changed = pg_current_xact_id(), changed_at = excluded.changed_at
   returning old.signed_out_at as before, signed_out_at as after`,
  { before: SHUT_OUT.shape.signed_out_at, after: SHUT_OUT.shape.signed_out_at },
);

/**
 * Signs a person out: tokens issued up to now are refused from within 5 s, by every gateway. The `iat` of a token has whole
 * seconds as a rule (RFC 7519 §4.1.6), so one of the same second may be of before or after; it is refused, as whoever
 * was signed out can sign in again a second later, and nobody can take back what an old token did.
 *
 * Anybody can be signed out: people with tokens need not be in the directory, and nobody here knows who has one.
 */
export const signOutMember: Handler<typeof memberCalls.signOutMember> = async (
  { path: { user_id }, body },
  session,
) => {
  const { org_id, now } = session;
  const [nameOf, others] = await Promise.all([
    namesOf(session, org_id, [user_id]),
    session.one(COUNT, org_id, user_id),
  ]);
  if ((others?.count ?? 0) >= MOST) throw new Problem('rate_limited', `At most ${MOST} people are signed out at once`);
  const signed = await session.one(SIGN_OUT, org_id, user_id, now);
  const [before = null, after = null] = [signed?.before, signed?.after];
  const changes = changesOf({ signed_out_at: before }, { signed_out_at: after });
  const entry = { action: 'update', entity: 'member', entity_id: user_id, about: [user_id] } as const;
  auditOfOrg(session, [{ ...entry, reason: body?.reason ?? null, changes }]);
  return { user_id, display_name: nameOf(user_id), signed_out_at: after ?? now.toISOString() };
};
