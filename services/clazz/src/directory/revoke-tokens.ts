import { type memberCalls, Problem, TOKEN_DAYS } from '@teaching/contracts';
import {
  notNull,
  bigint,
  type Handler,
  HOUR_MS,
  type RunInTransaction,
  type Session,
  statement,
  type Sweep,
} from '@teaching/kit';
import { auditOfOrg, changesOf } from '../audit/record-audit.ts';
import { namesOf } from '../record/member-names.ts';
import { FEED_PAUSE } from '../schedule/schedule.tables.ts';
import { SHUT_OUT } from './directory.tables.ts';

const REVOKE = statement(
  `insert into shut_out (org_id, user_id, inactive, changed_at) values ($1, $2, true, $3)
   on conflict (org_id, user_id) do update set
     inactive = true, changed = pg_current_xact_id(), changed_at = excluded.changed_at`,
);
const READMIT = statement(
  `update shut_out set inactive = false, changed = pg_current_xact_id(), changed_at = $3
   where org_id = $1 and user_id = any($2::text[]) and inactive`,
);

/**
 * Revokes the tokens of a person. They stay revoked when the directory removes the person: a member who is erased after leaving does not
 * come back by that.
 */
export const revokeTokens = (session: Session, user_id: string): void =>
  session.run(REVOKE, session.org_id, user_id, session.now);

/** The directory has them as active: activated, or added anew. */
export const restoreAccess = (session: Session, ...user_ids: readonly string[]): void =>
  session.run(READMIT, session.org_id, user_ids, session.now);

/** People of one organization whose sign-out counts at once: every gateway remembers each of them. */
const MOST = 50_000;
const COUNT = statement(
  `select count(*) as count from (
     select from shut_out where org_id = $1 and signed_out_at is not null and user_id <> $2 limit ${MOST}
   ) as others`,
  { count: notNull(bigint()) },
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
 * seconds as a rule (RFC 7519 §4.1.6), so one of the same second may be of before or after; it is refused, since a person who
 * was signed out can sign in again a second later, and the acts of an old token cannot be undone.
 *
 * Any user id can be signed out: people with tokens need not be in the directory.
 */
export const signOutMember: Handler<typeof memberCalls.signOutMember> = async (
  { path: { user_id }, body },
  session,
) => {
  const { org_id, now } = session;
  const [nameOf, others] = await Promise.all([
    namesOf(session, org_id, [user_id]),
    session.queryOne(COUNT, org_id, user_id),
  ]);
  if ((others?.count ?? 0) >= MOST) throw new Problem('rate_limited', `At most ${MOST} people are signed out at once`);
  const signed = await session.queryOne(SIGN_OUT, org_id, user_id, now);
  const [before = null, after = null] = [signed?.before, signed?.after];
  const changes = changesOf({ signed_out_at: before }, { signed_out_at: after });
  const entry = { action: 'update', entity: 'member', entity_id: user_id, about: [user_id] } as const;
  auditOfOrg(session, [{ ...entry, reason: body?.reason ?? null, changes }]);
  return { user_id, display_name: nameOf(user_id), signed_out_at: after ?? now.toISOString() };
};

const PIECE = 1_000;
/** Clocks of issuers and gateways may differ by less than the last day. */
const PAST = `interval '${TOKEN_DAYS + 1} days'`;
/** A gateway that heard nothing for so long reads the whole list. */
const REMEMBERED = "interval '1 day'";

/** No token can be that old. Gateways hear of it as of any other change; addresses that it ended go for good. */
const FORGET = statement(
  `with due as materialized (
     select org_id, user_id, signed_out_at from shut_out
     where signed_out_at < $1::timestamptz - ${PAST} limit ${PIECE} for update skip locked
   ), ended as (
     delete from calendar_feed f using due d
     where f.org_id = d.org_id and f.user_id = d.user_id and f.created_at <= d.signed_out_at + ${FEED_PAUSE}
   ), forgotten as (
     update shut_out s set signed_out_at = null, changed = pg_current_xact_id(), changed_at = $1
     from due d where s.org_id = d.org_id and s.user_id = d.user_id returning 1
   ) select count(*) as rows from forgotten`,
  { rows: notNull(bigint()) },
);
const REMOVE = statement(
  `with gone as (
     delete from shut_out where ctid = any (array(
       select ctid from shut_out
       where not inactive and signed_out_at is null and changed_at < $1::timestamptz - ${REMEMBERED} limit ${PIECE}
       for update skip locked)) returning 1
   ) select count(*) as rows from gone`,
  { rows: notNull(bigint()) },
);

async function* pieces(inTx: RunInTransaction): AsyncGenerator<number> {
  for (const step of [FORGET, REMOVE]) {
    let rows: number;
    do {
      const [done] = await inTx((tx) => tx.query(step, tx.now));
      rows = done?.rows ?? 0;
      yield rows;
    } while (rows === PIECE);
  }
}

/** Removes sign-outs that no longer revoke any token. */
export const removeOldSignOuts: Sweep = { name: 'sign-outs older than any token', every_ms: HOUR_MS, pieces };
